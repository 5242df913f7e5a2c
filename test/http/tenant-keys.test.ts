import { expect, it } from 'vitest';
import { keysOf } from '../../src/http/resources/connections.js';
import type { ApiKeyWithUse } from '../../src/ports/tenants.js';
import { idOf, NOW, TENANT_ID } from '../support/builders.js';
import type { ApiKeyId } from '../../src/domain/kernel/ids.js';

it.each([0, 499, 500, 1_203])('finds all of %i keys of a tenant', async (count) => {
  const keys = Array.from({ length: count }, (_, at): ApiKeyWithUse => ({
    key: {
      id: idOf<ApiKeyId>(at),
      tenantId: TENANT_ID,
      prefix: 'rg_4fJx09Qa',
      hash: `${at}`,
      description: 'Entra',
      scopes: ['scim:write'],
      createdAt: NOW,
    },
    ...{ lastUsedAt: null, userAgent: null, firstUsedAt: null, lookedUpAt: null },
  }));
  const page = (_tenant: unknown, { offset, limit }: { offset: number; limit: number }) =>
    Promise.resolve({ items: keys.slice(offset, offset + limit), total: count });

  expect(await keysOf({ apiKeys: { page } }, { id: TENANT_ID })).toEqual(keys);
});

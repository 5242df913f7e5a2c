import type { ApiKey } from './api-key.js';
import type { Decider } from '../kernel/decider.js';
import { apiKeyNotFound, tenantNotFound } from '../kernel/not-found.js';
import { allowRemovals, currentRemovals } from './removal-limit.js';

export const createApiKey: Decider<'api-key.create'> = {
  lookups: () => [],
  decide: ({ tenantId, command: { type: _type, keyId, ...given } }, { tenant, now }) => {
    if (!tenant) return tenantNotFound();
    const key: ApiKey = { id: keyId, tenantId, ...given, createdAt: now };
    return { changes: [{ table: 'apiKeys', before: null, after: key }], events: [], result: key };
  },
  recall: ({ keyId }, facts) => facts.find('apiKeys', 'id', keyId),
};

export const deleteApiKey: Decider<'api-key.delete'> = {
  lookups: ({ keyId }) => [{ table: 'apiKeys', index: 'id', key: keyId }],
  decide: ({ command: { keyId } }, facts) => {
    const key = facts.find('apiKeys', 'id', keyId);
    if (!key) return apiKeyNotFound();
    return { changes: [{ table: 'apiKeys', before: key, after: null }], events: [], result: null };
  },
  recall: () => null,
};

export const allowRemovalsOfKey: Decider<'api-key.allow-removals'> = {
  lookups: ({ keyId }) => [{ table: 'apiKeys', index: 'id', key: keyId }],
  decide: ({ command: { keyId } }, facts) => {
    const { tenant, now } = facts;
    if (!tenant) return tenantNotFound();
    if (!facts.find('apiKeys', 'id', keyId)) return apiKeyNotFound();
    const after = allowRemovals(tenant, keyId, now);
    const allowed = currentRemovals(after, keyId, now)?.allowedUntil ?? now;
    return { changes: [{ table: 'tenant', before: tenant, after }], events: [], result: allowed };
  },
  recall: ({ keyId }, { tenant, now }) =>
    (tenant && currentRemovals(tenant, keyId, now)?.allowedUntil) ?? undefined,
};

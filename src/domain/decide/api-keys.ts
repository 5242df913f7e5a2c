import type { ApiKey } from '../api-key.js';
import { refuse } from '../refusals.js';
import type { Decider } from './decider.js';

export const createApiKey: Decider<'api-key.create'> = {
  needs: () => [],
  decide: ({ tenantId, command: { type: _type, keyId, ...given } }, { tenant, now }) => {
    if (!tenant) return { refusal: refuse('TENANT_NOT_FOUND', 'No tenant has this slug.') };
    const key: ApiKey = { id: keyId, tenantId, ...given, createdAt: now };
    return { changes: [{ table: 'apiKeys', before: null, after: key }], events: [], result: key };
  },
  recall: ({ keyId }, facts) => facts.find('apiKeys', 'id', keyId),
};

export const deleteApiKey: Decider<'api-key.delete'> = {
  needs: ({ keyId }) => [{ table: 'apiKeys', index: 'id', key: keyId }],
  decide: ({ command: { keyId } }, facts) => {
    const key = facts.find('apiKeys', 'id', keyId);
    if (!key)
      return { refusal: refuse('API_KEY_NOT_FOUND', 'This tenant has no API key with this id.') };
    return { changes: [{ table: 'apiKeys', before: key, after: null }], events: [], result: null };
  },
  recall: () => null,
};

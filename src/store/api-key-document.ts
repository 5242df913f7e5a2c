import type { ApiKey } from '../domain/api-key.js';
import type { ApiKeyId, TenantId } from '../domain/ids.js';
import type { ApiKeyDocument } from './documents.js';

export const toApiKeyDocument = ({ id, tenantId, ...key }: ApiKey): ApiKeyDocument => ({
  _id: id,
  tenant: tenantId,
  ...key,
});

export const fromApiKeyDocument = ({ _id, tenant, ...key }: ApiKeyDocument): ApiKey => ({
  id: _id as ApiKeyId,
  tenantId: tenant as TenantId,
  ...key,
});

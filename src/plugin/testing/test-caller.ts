import type { OperatorCaller, TenantCaller } from '../../api/caller.js';
import type { Route } from '../../api/route.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import type { Scope } from '../../domain/scopes.js';
import { DEFAULT_SCIM_SETTINGS, type Tenant } from '../../domain/tenant/tenant.js';
import { newId } from '../../pipeline/submit.js';
import { SAMPLE_TENANT_ID } from './sample-event.js';

/** Creates a tenant for tests. */
export const sampleTenant = (more: Partial<Tenant> = {}): Tenant => ({
  id: SAMPLE_TENANT_ID,
  slug: 'acme',
  name: 'Acme',
  seatCapacity: null,
  defaultRole: 'member',
  roomProvisioning: 'manual',
  defaultCountry: null,
  scim: DEFAULT_SCIM_SETTINGS,
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  version: 1,
  seatsProvisioned: 0,
  userCount: 0,
  roomCount: 0,
  groupCount: 0,
  roleMappingCount: 0,
  smsListCount: 0,
  pluginVersions: {},
  removals: {},
  captureUntil: null,
  ...more,
});

/** A caller of the route: an operator, or a key with these scopes. */
export const callerOf = (
  { api }: Route,
  tenant: Tenant,
  scopes: readonly Scope[],
): TenantCaller | OperatorCaller => {
  if (api === 'operators')
    return { actor: { kind: 'operator', name: 'test' }, role: 'owner', tenants: null };
  const id = newId<ApiKeyId>();
  return {
    tenant,
    actor: { kind: 'api-key', id, scopes },
    key: {
      id,
      tenantId: tenant.id,
      hash: '',
      prefix: 'rg_test0000',
      description: 'test',
      scopes,
      createdAt: tenant.createdAt,
    },
  };
};

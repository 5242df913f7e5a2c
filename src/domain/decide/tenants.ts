import { fold } from '../fold.js';
import { isSame } from '../is-same.js';
import { refuse } from '../refusals.js';
import type { Tenant } from '../tenant.js';
import type { Decider } from './decider.js';
import { unchanged } from './user-steps.js';

const noSuchTenant = () => ({ refusal: refuse('TENANT_NOT_FOUND', 'No tenant has this slug.') });

export const createTenant: Decider<'tenant.create'> = {
  needs: ({ slug }) => [{ table: 'tenants', index: 'slug', key: fold(slug) }],
  decide: ({ tenantId, command: { type: _type, ...settings } }, facts) => {
    if (facts.find('tenants', 'slug', fold(settings.slug)))
      return { refusal: refuse('SLUG_TAKEN', `Another tenant has the slug "${settings.slug}".`) };
    const tenant: Tenant = {
      id: tenantId,
      ...settings,
      createdAt: facts.now,
      seatsProvisioned: 0,
      userCount: 0,
      pluginVersions: {},
    };
    return {
      changes: [{ table: 'tenant', before: null, after: tenant }],
      events: [],
      result: tenant,
    };
  },
  recall: (_command, facts) => facts.tenant,
};

export const updateTenant: Decider<'tenant.update'> = {
  needs: () => [],
  decide: ({ command: { type: _type, ...settings } }, { tenant }) => {
    if (!tenant) return noSuchTenant();
    const after: Tenant = { ...tenant, ...settings };
    if (isSame(tenant, after)) return unchanged(tenant);
    return { changes: [{ table: 'tenant', before: tenant, after }], events: [], result: after };
  },
  recall: (_command, facts) => facts.tenant,
};

/** A tombstone; what it leaves behind is purged afterwards (pipeline-rules.md 14). */
export const deleteTenant: Decider<'tenant.delete'> = {
  needs: () => [],
  decide: (_envelope, { tenant }) =>
    tenant
      ? { changes: [{ table: 'tenant', before: tenant, after: null }], events: [], result: null }
      : noSuchTenant(),
  recall: () => null,
};

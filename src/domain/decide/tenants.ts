import { fold } from '../fold.js';
import { isSame } from '../is-same.js';
import { rolesSubject } from '../job.js';
import { refuse } from '../refusals.js';
import { DEFAULT_SCIM_SETTINGS, type Tenant } from '../tenant.js';
import type { Asker } from './begin-job.js';
import type { Decider, Facts } from './decider.js';
import { type Effect, inOrder, NO_EFFECT } from './effect.js';
import { renameDefaultRole, startRolesJob } from './roles.js';
import { fitsCommit } from './row-budget.js';
import { defaultRoleHolders } from './step-job.js';
import { requireVersion, unchanged } from './user-steps.js';

const noSuchTenant = () => ({ refusal: refuse('TENANT_NOT_FOUND', 'No tenant has this slug.') });

export const createTenant: Decider<'tenant.create'> = {
  needs: ({ slug }) => [{ table: 'tenants', index: 'slug', key: fold(slug) }],
  decide: ({ tenantId, command: { type: _type, ...settings } }, facts) => {
    if (facts.find('tenants', 'slug', fold(settings.slug)))
      return { refusal: refuse('SLUG_TAKEN', `Another tenant has the slug "${settings.slug}".`) };
    const tenant: Tenant = {
      id: tenantId,
      defaultCountry: null,
      ...settings,
      scim: { ...DEFAULT_SCIM_SETTINGS, ...settings.scim },
      createdAt: facts.now,
      version: 1,
      seatsProvisioned: 0,
      userCount: 0,
      roomCount: 0,
      groupCount: 0,
      roleMappingCount: 0,
      smsListCount: 0,
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

/** Everybody who has it has another role now: at once, or by a job (pipeline-rules.md 11). */
const tellDefaultRole = (facts: Facts, asker: Asker, previousRole: string): Effect => {
  const users = facts.tenant?.userCount ?? 0;
  if (users === 0) return NO_EFFECT;
  const formerRoles = [{ until: null, role: previousRole }];
  // One that is under way begins anew, for it knows what each user last had.
  const isUnderWay = facts.find('jobs', 'subject', rolesSubject(null)) !== undefined;
  return fitsCommit(facts, users) && !isUnderWay
    ? renameDefaultRole(facts, defaultRoleHolders(facts, '', users), formerRoles)
    : startRolesJob(facts, asker, { rosterId: null, total: users, formerRoles });
};

export const updateTenant: Decider<'tenant.update'> = {
  needs: () => [],
  decide: (envelope, facts) => {
    const { type: _type, ifMatch, ...settings } = envelope.command;
    const { tenant } = facts;
    if (!tenant) return noSuchTenant();
    const refusal = requireVersion(tenant, ifMatch);
    if (refusal) return { refusal };
    const scim = { ...tenant.scim, ...settings.scim };
    const changed: Tenant = { ...tenant, ...settings, scim };
    if (isSame(tenant, changed)) return unchanged(tenant);
    const after: Tenant = { ...changed, version: tenant.version + 1 };
    const effect = inOrder(facts, [
      () => ({ changes: [{ table: 'tenant', before: tenant, after }], events: [] }),
      (now) =>
        tenant.defaultRole === after.defaultRole
          ? NO_EFFECT
          : tellDefaultRole(now, envelope, tenant.defaultRole),
    ]);
    return { ...effect, result: after };
  },
  recall: (_command, facts) => facts.tenant,
};

/** A tombstone; what it leaves behind is purged afterwards (pipeline-rules.md 14). */
export const deleteTenant: Decider<'tenant.delete'> = {
  needs: () => [],
  decide: ({ command: { ifMatch } }, { tenant }) => {
    if (!tenant) return noSuchTenant();
    const refusal = requireVersion(tenant, ifMatch);
    return refusal
      ? { refusal }
      : { changes: [{ table: 'tenant', before: tenant, after: null }], events: [], result: null };
  },
  recall: () => null,
};

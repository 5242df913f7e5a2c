import type { CommandContext } from '../commands.js';
import {
  type Decider,
  type Facts,
  unchanged,
  combineInOrder,
  type Effect,
  NO_EFFECT,
} from '../kernel/decider.js';
import { fold } from '../kernel/names.js';
import { isSame } from '../kernel/json.js';
import { rolesSubject } from '../job/job.js';
import { usersWithDefaultRole } from '../job/job-decider.js';
import { fitsCommit } from '../job/start-job.js';
import { raise } from '../kernel/refusals.js';
import { requireEntity, requireTenant } from '../kernel/requirements.js';
import { startRolesJob, updateDefaultRole } from '../role/roles.js';
import { DEFAULT_SCIM_SETTINGS } from './scim-settings.js';
import { type ApiKey, hasExpired, type Tenant } from './tenant.js';
import { allowRemovals, currentRemovals } from './tenant-counts.js';

export const createTenant: Decider<'tenant.create'> = {
  lookups: ({ slug }) => [{ table: 'tenants', index: 'slug', key: fold(slug) }],
  decide: ({ tenantId, command: { type: _type, ...settings } }, facts) => {
    if (facts.find('tenants', 'slug', fold(settings.slug)))
      raise('SLUG_TAKEN', `Another tenant has the slug "${settings.slug}".`);
    const tenant: Tenant = {
      id: tenantId,
      defaultCountry: null,
      ...settings,
      scim: { ...DEFAULT_SCIM_SETTINGS, ...settings.scim },
      customAttributes: [],
      captureUntil: null,
      createdAt: facts.now,
      version: 1,
      seatsProvisioned: 0,
      userCount: 0,
      roomCount: 0,
      groupCount: 0,
      roleMappingCount: 0,
      smsListCount: 0,
      pluginVersions: {},
      removals: {},
    };
    return {
      changes: [{ table: 'tenant', before: null, after: tenant }],
      events: [],
      result: tenant,
    };
  },
  recall: (_command, facts) => facts.tenant,
};

/** A new default role changes all users who have it: in this commit, or by a job. */
const applyDefaultRole = (facts: Facts, context: CommandContext, previousRole: string): Effect => {
  const users = facts.tenant?.userCount ?? 0;
  if (users === 0) return NO_EFFECT;
  const formerRoles = [{ until: null, role: previousRole }];
  // A running job is restarted, because it has each user's former role.
  const isRunning = facts.find('jobs', 'subject', rolesSubject(null)) !== undefined;
  return fitsCommit(facts, users) && !isRunning
    ? updateDefaultRole(facts, usersWithDefaultRole(facts, '', users), formerRoles)
    : startRolesJob(facts, context, { rosterId: null, total: users, formerRoles });
};

export const updateTenant: Decider<'tenant.update'> = {
  lookups: () => [],
  decide: (envelope, facts) => {
    const { type: _type, ifMatch, ...settings } = envelope.command;
    const tenant = requireEntity(requireTenant(facts), 'TENANT_NOT_FOUND', ifMatch);
    const scim = { ...tenant.scim, ...settings.scim };
    const changed: Tenant = { ...tenant, ...settings, scim };
    if (isSame(tenant, changed)) return unchanged(tenant);
    const after: Tenant = { ...changed, version: tenant.version + 1 };
    const effect = combineInOrder(facts, [
      () => ({ changes: [{ table: 'tenant', before: tenant, after }], events: [] }),
      (current) =>
        tenant.defaultRole === after.defaultRole
          ? NO_EFFECT
          : applyDefaultRole(current, envelope, tenant.defaultRole),
    ]);
    return { ...effect, result: after };
  },
  recall: (_command, facts) => facts.tenant,
};

/** Leaves a tombstone; the tenant's data is purged afterwards (pipeline-rules.md 14). */
export const deleteTenant: Decider<'tenant.delete'> = {
  lookups: () => [],
  decide: ({ command: { ifMatch } }, facts) => {
    const before = requireEntity(requireTenant(facts), 'TENANT_NOT_FOUND', ifMatch);
    return { changes: [{ table: 'tenant', before, after: null }], events: [], result: null };
  },
  recall: () => null,
};

export const createApiKey: Decider<'api-key.create'> = {
  lookups: () => [],
  decide: ({ tenantId, command: { type: _type, keyId, ...given } }, facts) => {
    requireTenant(facts);
    const { now } = facts;
    if (hasExpired(given, now.getTime()))
      raise('INVALID_REQUEST', 'expires_at: must be in the future.', {
        details: [{ path: 'expires_at', message: 'must be in the future' }],
      });
    const key: ApiKey = { id: keyId, tenantId, ...given, createdAt: now };
    return { changes: [{ table: 'apiKeys', before: null, after: key }], events: [], result: key };
  },
  recall: ({ keyId }, facts) => facts.find('apiKeys', 'id', keyId),
};

export const deleteApiKey: Decider<'api-key.delete'> = {
  lookups: ({ keyId }) => [{ table: 'apiKeys', index: 'id', key: keyId }],
  decide: ({ command: { keyId } }, facts) => {
    const key = facts.find('apiKeys', 'id', keyId) ?? raise('API_KEY_NOT_FOUND');
    return { changes: [{ table: 'apiKeys', before: key, after: null }], events: [], result: null };
  },
  recall: () => null,
};

export const allowRemovalsOfKey: Decider<'api-key.allow-removals'> = {
  lookups: ({ keyId }) => [{ table: 'apiKeys', index: 'id', key: keyId }],
  decide: ({ command: { keyId } }, facts) => {
    const { now } = facts;
    const tenant = requireTenant(facts);
    if (!facts.find('apiKeys', 'id', keyId)) return raise('API_KEY_NOT_FOUND');
    const after = allowRemovals(tenant, keyId, now);
    const allowed = currentRemovals(after, keyId, now)?.allowedUntil ?? now;
    return { changes: [{ table: 'tenant', before: tenant, after }], events: [], result: allowed };
  },
  recall: ({ keyId }, { tenant, now }) =>
    (tenant && currentRemovals(tenant, keyId, now)?.allowedUntil) ?? undefined,
};

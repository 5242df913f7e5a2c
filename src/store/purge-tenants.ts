import type { Collections } from './collections.js';

/** Every collection whose documents belong to a tenant, in the order in which they are emptied. */
const BY_TENANT = [
  'outbox',
  'outbox_attempts',
  'outbox_recoveries',
  'plugin_notes',
  'plugin_records',
  'events',
  'users',
  'departed_users',
  'memberships',
  'groups',
  'rooms',
  'role_mappings',
  'sms_members',
  'sms_job_parts',
  'sms_lists',
  'job_parts',
  'jobs',
  'api_keys',
  'remembered_answers',
  'command_log',
] as const;

/**
 * Clears what deleted tenants left behind; their keys and slugs are dead already. The tombstone
 * goes last, so that a purge that was cut short is taken up by the next one (pipeline-rules.md 14).
 * Outside the tenant's lane and version: nothing of the tenant can change any more.
 */
export const purgeTenants = async (collections: Collections): Promise<readonly string[]> => {
  const { database, tenants, tenantState, apiKeys, apiKeyUses } = collections;
  const gone = await tenants.find({ deletedAt: { $exists: true } }).toArray();
  for (const { _id: tenant } of gone) {
    const keys = await apiKeys.find({ tenant }, { projection: { _id: 1 } }).toArray();
    await apiKeyUses.deleteMany({ _id: { $in: keys.map(({ _id }) => _id) } });
    for (const name of BY_TENANT) await database.collection(name).deleteMany({ tenant });
    await tenantState.deleteOne({ _id: tenant });
    await tenants.deleteOne({ _id: tenant });
  }
  return gone.map(({ _id }) => _id);
};

import type { mongo } from 'mongoose';
import { type CollectionDescriptor, expireLater } from './tables/collection.js';
import { ALL_COLLECTIONS, type Collections } from './tables/collections.js';
import type { TenantDocument } from './tables/tenants.js';
import { noteIdOf } from './tables/plugin-records.js';

type TenantFilter = { readonly tenant: mongo.Condition<string> };

/** Notes are identified by their key or record, so these are read before they are deleted. */
const expireNotes = async (
  { apiKeys, apiKeyUses, pluginRecords, pluginNotes }: Collections,
  ofDeleted: TenantFilter,
): Promise<void> => {
  const keys = await apiKeys.find(ofDeleted, { projection: { _id: 1 } }).toArray();
  await expireLater(
    apiKeyUses,
    keys.map(({ _id }) => _id),
  );
  const records = await pluginRecords
    .find(ofDeleted, { projection: { tenant: 1, plugin: 1 } })
    .toArray();
  await expireLater(
    pluginNotes,
    records.map(({ _id, tenant, plugin }) => noteIdOf({ plugin, tenant, record: _id })),
  );
};

const namesOf = (purge: CollectionDescriptor['purge']): readonly string[] =>
  ALL_COLLECTIONS.filter((each) => each.purge === purge).map(({ name }) => name);

/**
 * Deletes the documents of deleted tenants; their keys and slugs are invalid already. The
 * tombstones are last, so that the next purge resumes one that was interrupted (pipeline-rules.md
 * 14). Runs outside the lanes and versions of the tenants: nothing of theirs can change any more.
 * Returns their ids.
 *
 * Finished rows of the outbox, attempts and recoveries have no index by tenant, because every
 * delivery would have to maintain it: they are scanned once for all deleted tenants (0.7 s for a
 * million rows; measured with mongod 6.0.5).
 */
export const purgeTenants = async (collections: Collections): Promise<readonly string[]> => {
  const { database, tenants } = collections;
  const found = await tenants
    .find({ deletedAt: { $exists: true } }, { projection: { _id: 1 } })
    .toArray();
  const ids = found.map(({ _id }) => _id);
  if (ids.length === 0) return ids;
  const ofDeleted = { tenant: { $in: ids } };
  await expireNotes(collections, ofDeleted);
  for (const name of namesOf('by tenant')) await database.collection(name).deleteMany(ofDeleted);
  for (const name of namesOf('last'))
    await database.collection<TenantDocument>(name).deleteMany({ _id: { $in: ids } });
  return ids;
};

import type * as mongo from 'mongodb';
import { type CollectionDescriptor, expireLater } from './tables/collection.js';
import { ALL_COLLECTIONS, type Collections } from './tables/collections.js';
import { MAJORITY_WRITE, NO_TIMEOUT } from './concerns.js';
import type { TenantDocument } from './tables/tenants.js';
import { noteIdOf } from './tables/plugins.js';
import { setTimeout as wait } from 'node:timers/promises';
import { nameWords } from '../domain/kernel/name-words.js';
import { slicesOf } from './commit/transaction.js';
import { userWords } from './tables/users.js';

/** However many documents there are. */
const LONG_WRITE = { ...MAJORITY_WRITE, ...NO_TIMEOUT };

type TenantFilter = { readonly tenant: mongo.Condition<string> };

/** Notes are identified by their key or record, so these are read before they are deleted. */
const expireNotes = async (
  { apiKeys, apiKeyUses, connections, pluginRecords, pluginNotes }: Collections,
  ofDeleted: TenantFilter,
): Promise<void> => {
  const keys = await apiKeys.find(ofDeleted, { projection: { _id: 1 } }).toArray();
  const keyIds = keys.map(({ _id }) => _id);
  await expireLater(apiKeyUses, keyIds);
  await expireLater(connections, keyIds);
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
  for (const name of namesOf('by tenant'))
    await database.collection(name).deleteMany(ofDeleted, LONG_WRITE);
  for (const name of namesOf('last'))
    await database.collection<TenantDocument>(name).deleteMany({ _id: { $in: ids } }, LONG_WRITE);
  return ids;
};

const BATCH = 500;
/** Tenants per query. */
const TENANTS = 100;
const INDEX = { tenant: 1, 'folded.words': 1 } as const;

interface Versioned {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
}

interface Part {
  readonly collection: mongo.Collection<Versioned>;
  /** What the words are made from. */
  readonly projection: Readonly<Record<string, 1>>;
  readonly wordsOf: (document: Versioned) => readonly string[];
}

/** The driver's types do not accept a generic document; all have the three fields. */
const partOf = <Document extends Versioned>(
  collection: mongo.Collection<Document>,
  fields: readonly (keyof Document & string)[],
  wordsOf: (document: Document) => readonly string[],
): Part => ({
  collection: collection as unknown as mongo.Collection<Versioned>,
  projection: Object.fromEntries(fields.map((field) => [field, 1])),
  wordsOf: wordsOf as Part['wordsOf'],
});

const partsOf = ({ users, rooms, groups, smsLists, roleMappings }: Collections) => [
  partOf(users, ['profile', 'email'], userWords),
  partOf(rooms, ['name'], ({ name }) => nameWords([name])),
  partOf(groups, ['displayName'], ({ displayName }) => nameWords([displayName])),
  partOf(smsLists, ['name'], ({ name }) => nameWords([name])),
  partOf(roleMappings, ['groupDisplayName'], ({ groupDisplayName }) =>
    nameWords([groupDisplayName]),
  ),
];

/**
 * Adds the words of names to documents that earlier versions have written (decision 0043): at the
 * first start of this version, and after a gateway of an earlier one ran beside it. The index lists
 * the documents without them, so an interrupted run is resumed by the next one, and a run that finds
 * none costs a query for each collection and 100 tenants. Returns how many were changed.
 */
export const fillNameWords = async (
  collections: Collections,
  signal: AbortSignal,
): Promise<number> => {
  const found = await collections.tenants
    .find({ deletedAt: { $exists: false } }, { projection: { _id: 1 } })
    .toArray();
  const parts = partsOf(collections);
  let count = 0;
  for (const slice of slicesOf(found, TENANTS))
    for (const part of parts)
      count += await fill(
        part,
        slice.map(({ _id }) => _id),
        signal,
      );
  return count;
};

const MISSING = { 'folded.words': { $exists: false } };

const fill = async (
  { collection, projection, wordsOf }: Part,
  tenants: readonly string[],
  signal: AbortSignal,
): Promise<number> => {
  const options = { projection: { tenant: 1, v: 1, ...projection }, hint: INDEX };
  let count = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const found = await collection
      .find({ tenant: { $in: [...tenants] }, ...MISSING }, options)
      .limit(BATCH)
      .toArray();
    if (found.length === 0) break;
    const { modifiedCount } = await collection.bulkWrite(
      found.map((document) => ({
        updateOne: {
          // Unchanged since it was read: a commit may have written other names.
          filter: { _id: document._id, tenant: document.tenant, v: document.v, ...MISSING },
          update: { $set: { 'folded.words': wordsOf(document) } },
        },
      })),
      { ordered: false },
    );
    count += modifiedCount;
    // Half of the time is left to commits.
    await wait(performance.now() - startedAt, undefined, { signal }).catch(() => undefined);
  }
  return count;
};

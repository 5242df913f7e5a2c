import type * as mongo from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { type CollectionDescriptor, expireLater } from './tables/collection.js';
import { ALL_COLLECTIONS, type Collections, STORED_TABLES } from './tables/collections.js';
import { MAJORITY_WRITE, NO_TIMEOUT } from './concerns.js';
import type { TenantDocument } from './tables/tenants.js';
import { noteIdOf } from './tables/plugins.js';
import { slicesOf } from './commit/transaction.js';
import { isDuplicateKey } from './database-errors.js';
import type { KeptKeys } from './kept-keys.js';
import { foldedName } from './tables/folded-name.js';
import { fromUserDocument, toUserFields, type UserDocument } from './tables/users.js';

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
 * Recoveries have no index by tenant: they are scanned once for all deleted tenants.
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

/** Tenants per query. */
const TENANTS = 100;

/** The driver's types do not accept a generic document; all have these fields. */
type Stored = Readonly<Record<string, unknown>> & {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
};

interface Part {
  readonly collection: mongo.Collection<Stored>;
  /** The indexes of its keys, and of other texts by which it is looked up. */
  readonly indexes: readonly Readonly<Record<string, 1>>[];
  /** Selects keys that an earlier version may have folded differently. */
  readonly stale: string;
  readonly foldedOf: (document: Stored) => Readonly<Record<string, unknown>>;
}

/** Texts with fullwidth or halfwidth forms, in MongoDB's regular expressions. */
const WIDE = '[\\x{3000}\\x{ff01}-\\x{ffee}]';

/** Names are the same with other white space, too. */
const named = (collection: object, field: string): Part => ({
  collection: collection as Part['collection'],
  indexes: [{ tenant: 1, [`folded.${field}`]: 1 }],
  stale: `^\\s|\\s$|\\s\\s|[\\x{a0}\\x{1680}\\x{2000}-\\x{205f}]|${WIDE}`,
  foldedOf: (document) => foldedName(field, String(document[field])),
});

const partsOf = (collections: Collections): readonly Part[] => [
  {
    collection: collections.users as object as Part['collection'],
    indexes: [
      { tenant: 1, 'folded.userName': 1 },
      { tenant: 1, 'folded.email': 1 },
      { tenant: 1, 'folded.emails.value': 1 },
      { tenant: 1, 'folded.label': 1, n: 1 },
    ],
    stale: WIDE,
    foldedOf: (user: object) => toUserFields(fromUserDocument(user as UserDocument)).folded,
  },
  ...Object.values(STORED_TABLES).flatMap(({ name, unique }) =>
    unique
      ? [named(collections.database.collection(name), unique.path.replace('folded.', ''))]
      : [],
  ),
];

const refold = async (
  { collection, foldedOf }: Part,
  document: Stored,
  kept: KeptKeys,
): Promise<number> => {
  const { _id, tenant, v } = document;
  const folded = foldedOf(document);
  if (isDeepStrictEqual(folded, document['folded'])) return 0;
  // Unchanged since it was read: a commit may have written other names.
  const write = async (fields: object): Promise<number> =>
    (await collection.updateOne({ _id, tenant, v }, { $set: { folded: fields } })).modifiedCount;
  try {
    return await write(folded);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const keys = Object.fromEntries(
      Object.entries(document['folded'] as object).filter(
        ([field, key]) => typeof key === 'string' && key !== folded[field],
      ),
    );
    kept.set(_id, keys);
    return write({ ...folded, ...keys });
  }
};

const tenantIdsOf = async ({ tenants }: Collections): Promise<readonly string[]> =>
  (await tenants.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);

/**
 * Brings keys that earlier versions have written to the folding of this one: before the first request,
 * so that no lookup misses a user, and regularly, should a gateway of an earlier version run beside it.
 * A key that another document has stays (KeptKeys). Reads whole indexes. Returns how many were changed.
 */
export const refoldKeys = async (collections: Collections, kept: KeptKeys): Promise<number> => {
  const ids = await tenantIdsOf(collections);
  const keptNow: KeptKeys = new Map();
  let count = 0;
  for (const part of partsOf(collections))
    for (const hint of part.indexes)
      for (const slice of slicesOf(ids, TENANTS)) {
        const [, field = ''] = Object.keys(hint);
        const stale = { tenant: { $in: slice }, [field]: { $exists: true, $regex: part.stale } };
        const found = part.collection.find(stale, { hint, ...NO_TIMEOUT });
        for await (const document of found) count += await refold(part, document, keptNow);
      }
  kept.clear();
  for (const [id, keys] of keptNow) kept.set(id, keys);
  if (count === 0 && kept.size === 0)
    await collections.settings.updateOne(
      FOLDED_NAMES,
      { $setOnInsert: { setAt: new Date() } },
      { upsert: true },
    );
  else await collections.settings.deleteOne(FOLDED_NAMES);
  return count;
};

/** Marks since when all names have been folded, and none is a twin. */
const FOLDED_NAMES = { _id: 'folded-names' } as const;
/** How long gateways of an earlier version may run beside this one, in milliseconds. */
const UPGRADE_MS = 86_400_000;

/** Before the first request; not if all names have been folded since long before. */
export const refoldAtStart = async (collections: Collections, kept: KeptKeys): Promise<void> => {
  const mark = await collections.settings.findOne(FOLDED_NAMES);
  const foldedAt = mark?.setAt?.getTime() ?? Infinity;
  if (foldedAt > Date.now() - UPGRADE_MS) await refoldKeys(collections, kept);
};

/**
 * Folds names again whose words version 0.1.0 has not stored (decision 0043): at the first start of this
 * version, and after a gateway of 0.1.0 ran beside it. The index lists them, so an interrupted run is
 * resumed by the next one, and a run that finds none costs a query for each collection and 100
 * tenants. Returns how many were changed.
 */
export const fillNameWords = async (
  collections: Collections,
  kept: KeptKeys,
  signal: AbortSignal,
): Promise<number> => {
  const ids = await tenantIdsOf(collections);
  let count = 0;
  for (const part of partsOf(collections))
    for (const slice of slicesOf(ids, TENANTS)) {
      const missing = { tenant: { $in: slice }, 'folded.words': { $exists: false } };
      const hint = { tenant: 1, 'folded.words': 1 } as const;
      for await (const document of part.collection.find(missing, { hint, ...NO_TIMEOUT })) {
        if (signal.aborted) return count;
        count += await refold(part, document, kept);
      }
    }
  return count;
};

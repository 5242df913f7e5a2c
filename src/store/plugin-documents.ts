import type * as mongo from 'mongodb';
import {
  type ClearOptions,
  type DocumentOwner,
  type NewDocument,
  type PluginCollection,
  type PluginDocument,
  type ReadOptions,
  MAX_DOCUMENTS,
  requireFew,
  requireWritable,
  VersionConflict,
  type WriteOptions,
} from '../ports/plugin-storage.js';
import { isDuplicateKey, guarded } from './database-errors.js';
import { requireLease } from './leases.js';
import { type SessionPool, inTransaction } from './commit/session-pool.js';
import { type PluginDocumentDocument, pluginDocuments } from './tables/plugins.js';
import { NO_TIMEOUT, MAJORITY_WRITE } from './concerns.js';

type Documents = mongo.Collection<PluginDocumentDocument>;
type Filter = mongo.Filter<PluginDocumentDocument>;

const DEFAULT_LIMIT = 100;

/** The server deletes what has expired within a minute; until then it is not seen. */
const UNEXPIRED = {
  $expr: { $gt: [{ $ifNull: ['$expireAt', { $add: ['$$NOW', 1] }] }, '$$NOW'] },
} as const;
const EXPIRED = { expireAt: { $type: 'date' }, $expr: { $lte: ['$expireAt', '$$NOW'] } } as const;

type Read = Pick<PluginDocumentDocument, 'key' | 'v' | 'at'> & Partial<PluginDocumentDocument>;

const fromDocument = ({ key, value = {}, v, at }: Read): PluginDocument => ({
  key,
  value,
  version: v,
  updatedAt: at,
});

/** What is decoded: keys name the owner and the collection already. */
const projectionOf = ({ fields }: ReadOptions): Readonly<Record<string, 0 | 1>> => ({
  ...{ _id: 0, key: 1, v: 1, at: 1 },
  ...(fields ? Object.fromEntries(fields.map((field) => [`value.${field}`, 1])) : { value: 1 }),
});

const written = ({ value, expiresAt }: NewDocument) => ({
  $set: { value, expireAt: expiresAt ?? null },
  $inc: { v: 1 },
  $currentDate: { at: true as const },
});

interface CollectionParts {
  readonly database: mongo.Db;
  readonly sessions: SessionPool;
  /** The database server's time. */
  readonly clock: () => Date;
}

/** The collections of plugins, in one collection of the database. */
export const mongoPluginCollection = (
  { database, sessions, clock }: CollectionParts,
  plugin: string,
  collection: string,
): PluginCollection => {
  const documents: Documents = pluginDocuments.in(database);
  const of = (owner: DocumentOwner) => ({ tenant: owner ?? '', plugin, collection });

  /** Each by itself: a conflict must not write the documents before it. */
  const putWithVersion = async (
    owner: DocumentOwner,
    document: NewDocument,
    options: mongo.UpdateOptions,
  ): Promise<void> => {
    const { key, ifVersion = 0 } = document;
    const filter = { ...of(owner), key };
    const isNew = ifVersion === 0;
    if (isNew) await documents.deleteOne({ ...filter, ...EXPIRED }, options);
    const { matchedCount, upsertedCount } = await documents
      .updateOne({ ...filter, v: ifVersion }, written(document), { ...options, upsert: isNew })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw conflict(key, ifVersion);
        throw error;
      });
    if (matchedCount + upsertedCount === 0) throw conflict(key, ifVersion);
  };

  /** One document alone needs no transaction, of which a gateway has few at once. */
  const putAlone = async (owner: DocumentOwner, document: NewDocument): Promise<void> => {
    if (document.ifVersion === 0)
      try {
        await documents.insertMany(inserts(owner, [document]), MAJORITY_WRITE);
        return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The one that is there may have expired.
      }
    await putWithVersion(owner, document, MAJORITY_WRITE);
  };

  const putTogether = (
    owner: DocumentOwner,
    given: readonly NewDocument[],
    { fence }: WriteOptions,
  ): Promise<void> =>
    inTransaction(sessions, async (session) => {
      if (fence) await requireLease(database, fence, session);
      const [versioned, plain] = [
        given.filter(({ ifVersion }) => ifVersion !== undefined),
        given.filter(({ ifVersion }) => ifVersion === undefined),
      ];
      for (const document of versioned) await putWithVersion(owner, document, { session });
      await write(owner, plain, { session });
    });

  const write = async (
    owner: DocumentOwner,
    given: readonly NewDocument[],
    options: mongo.BulkWriteOptions,
  ): Promise<void> => {
    const [added, others] = [
      given.filter(({ isNew }) => isNew === true),
      given.filter(({ isNew }) => isNew !== true),
    ];
    if (added.length > 0) await documents.insertMany(inserts(owner, added), options);
    if (others.length > 0) await documents.bulkWrite(upserts(owner, others), options);
  };

  const inserts = (owner: DocumentOwner, given: readonly NewDocument[]) =>
    given.map(({ key, value, expiresAt = null }) => ({
      ...of(owner),
      ...{ key, value, v: 1, at: clock(), expireAt: expiresAt },
    }));

  const upserts = (owner: DocumentOwner, given: readonly NewDocument[]) =>
    given.map((document) => ({
      updateOne: {
        filter: { ...of(owner), key: document.key },
        update: written(document),
        upsert: true,
      },
    }));

  const find = async (
    filter: Filter,
    limit: number,
    options: ReadOptions = {},
  ): Promise<PluginDocument[]> => {
    // In one response.
    const all = { limit, batchSize: limit + 1, sort: { key: 1 } } as const;
    const projection = projectionOf(options);
    const found = documents.find<Read>({ ...filter, ...UNEXPIRED }, { ...all, projection });
    return (await found.toArray()).map(fromDocument);
  };

  return guarded<PluginCollection>({
    get: async (owner, key) => {
      const [found] = await find({ ...of(owner), key }, 1);
      return found;
    },
    getMany: async (owner, keys, options) => {
      if (keys.length === 0) return new Map();
      const found = await find({ ...of(owner), key: { $in: [...keys] } }, keys.length, options);
      return new Map(found.map((document) => [document.key, document]));
    },
    list: (owner, { prefix = '', after, limit = DEFAULT_LIMIT, ...options } = {}) => {
      const range = {
        ...(prefix !== '' && rangeOf(prefix)),
        ...(after !== undefined && { $gt: after }),
      };
      const key = Object.keys(range).length > 0 ? { key: range } : {};
      return find({ ...of(owner), ...key }, Math.min(limit, MAX_DOCUMENTS), options);
    },
    put: async (owner, given, options = {}) => {
      requireWritable(given);
      if (given.length === 0) return;
      const [first] = given;
      const isVersioned = given.some(({ ifVersion }) => ifVersion !== undefined);
      if (first && isVersioned && given.length === 1 && !options.fence)
        return putAlone(owner, first);
      const isTogether = options.fence !== undefined || isVersioned;
      const putAll = (all: readonly NewDocument[]): Promise<void> =>
        isTogether
          ? putTogether(owner, all, options)
          : write(owner, all, { ordered: false, ...MAJORITY_WRITE });
      await putAll(given).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return putAll(given.map(({ isNew: _isNew, ...document }) => document));
      });
    },
    add: async (owner, key, amounts) => {
      const added = Object.entries(amounts).map(([name, amount]) => [`value.${name}`, amount]);
      const document = await documents.findOneAndUpdate(
        { ...of(owner), key },
        {
          $inc: { v: 1, ...(Object.fromEntries(added) as Readonly<Record<string, number>>) },
          $currentDate: { at: true },
          $setOnInsert: { expireAt: null },
        },
        { upsert: true, returnDocument: 'after', ...MAJORITY_WRITE },
      );
      if (!document) throw new Error('The addition returned no document.');
      return fromDocument(document);
    },
    delete: async (owner, keys, { fence } = {}) => {
      requireFew(keys);
      const filter = { ...of(owner), key: { $in: [...keys] } };
      if (!fence) {
        await documents.deleteMany(filter, MAJORITY_WRITE);
        return;
      }
      await inTransaction(sessions, async (session) => {
        await requireLease(database, fence, session);
        await documents.deleteMany(filter, { session });
      });
    },
    clear: async (owner, prefix, { fence, ...bounds } = {}) => {
      if (prefix === '') throw new RangeError('A prefix is needed to delete documents.');
      if (fence) await inTransaction(sessions, (session) => requireLease(database, fence, session));
      // Not in the transaction: a deletion of many documents would be too large for one.
      const key = { ...rangeOf(prefix), ...boundsOf(bounds) };
      await documents.deleteMany({ ...of(owner), key }, { ...MAJORITY_WRITE, ...NO_TIMEOUT });
    },
  });
};

/** Keys that start with it. */
const rangeOf = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}\u{10ffff}` });

const boundsOf = ({ after, upTo }: ClearOptions) => ({
  ...(after !== undefined && { $gt: after }),
  ...(upTo !== undefined && { $lte: upTo }),
});

const conflict = (key: string, version: number): VersionConflict =>
  new VersionConflict(
    version === 0 ? `The document "${key}" exists.` : `The document "${key}" has another version.`,
  );

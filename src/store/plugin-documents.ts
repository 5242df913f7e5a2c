import type * as mongo from 'mongodb';
import {
  type DocumentOwner,
  type NewDocument,
  type PluginCollection,
  type PluginDocument,
  MAX_DOCUMENTS,
  requireFew,
  requireWritable,
  VersionConflict,
  type WriteOptions,
} from '../ports/plugin-storage.js';
import { isDuplicateKey, guardRead } from './database-errors.js';
import { requireLease } from './leases.js';
import { type SessionPool, inTransaction } from './commit/session-pool.js';
import { type PluginDocumentDocument, pluginDocuments } from './tables/plugins.js';
import { MAJORITY_WRITE } from './concerns.js';

type Documents = mongo.Collection<PluginDocumentDocument>;
type Filter = mongo.Filter<PluginDocumentDocument>;

const DEFAULT_LIMIT = 100;

/** The server deletes what has expired within a minute; until then it is not seen. */
const UNEXPIRED = {
  $expr: { $gt: [{ $ifNull: ['$expireAt', { $add: ['$$NOW', 1] }] }, '$$NOW'] },
} as const;
const EXPIRED = { expireAt: { $type: 'date' }, $expr: { $lte: ['$expireAt', '$$NOW'] } } as const;

const fromDocument = ({ key, value, v, at }: PluginDocumentDocument): PluginDocument => ({
  key,
  value,
  version: v,
  updatedAt: at,
});

/** `$literal`: the value is data, whatever it looks like. */
const written = ({ value, expiresAt }: NewDocument) => [
  {
    $set: {
      value: { $literal: value },
      v: { $add: [{ $ifNull: ['$v', 0] }, 1] },
      at: '$$NOW',
      expireAt: expiresAt ?? null,
    },
  },
];

/** The collections of plugins, in one collection of the database. */
export const mongoPluginCollection = (
  { database, sessions }: { readonly database: mongo.Db; readonly sessions: SessionPool },
  plugin: string,
  collection: string,
): PluginCollection => {
  const documents: Documents = pluginDocuments.in(database);
  const of = (owner: DocumentOwner) => ({ tenant: owner ?? '', plugin, collection });

  /** Each by itself: a conflict must not write the documents before it. */
  const putWithVersion = async (
    owner: DocumentOwner,
    document: NewDocument,
    session: mongo.ClientSession,
  ): Promise<void> => {
    const { key, ifVersion } = document;
    const filter = { ...of(owner), key };
    if (ifVersion === undefined) {
      await documents.updateOne(filter, written(document), { upsert: true, session });
      return;
    }
    if (ifVersion === 0) await documents.deleteOne({ ...filter, ...EXPIRED }, { session });
    const isNew = ifVersion === 0;
    const { matchedCount, upsertedCount } = await documents
      .updateOne({ ...filter, v: ifVersion }, written(document), { upsert: isNew, session })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw conflict(key, ifVersion);
        throw error;
      });
    if (matchedCount + upsertedCount === 0) throw conflict(key, ifVersion);
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
      for (const document of versioned) await putWithVersion(owner, document, session);
      if (plain.length > 0) await documents.bulkWrite(upserts(owner, plain), { session });
    });

  const upserts = (owner: DocumentOwner, given: readonly NewDocument[]) =>
    given.map((document) => ({
      updateOne: {
        filter: { ...of(owner), key: document.key },
        update: written(document),
        upsert: true,
      },
    }));

  const find = (filter: Filter, limit: number): Promise<PluginDocument[]> =>
    documents
      .find({ ...filter, ...UNEXPIRED })
      .sort({ key: 1 })
      .limit(limit)
      .map(fromDocument)
      .toArray();

  return {
    get: (owner, key) =>
      guardRead(async () => {
        const [found] = await find({ ...of(owner), key }, 1);
        return found;
      }),
    getMany: (owner, keys) =>
      guardRead(async () => {
        const found = await find({ ...of(owner), key: { $in: [...keys] } }, keys.length);
        return new Map(found.map((document) => [document.key, document]));
      }),
    list: (owner, { prefix = '', after, limit = DEFAULT_LIMIT } = {}) =>
      guardRead(() => {
        const range = {
          ...(prefix !== '' && rangeOf(prefix)),
          ...(after !== undefined && { $gt: after }),
        };
        const key = Object.keys(range).length > 0 ? { key: range } : {};
        return find({ ...of(owner), ...key }, Math.min(limit, MAX_DOCUMENTS));
      }),
    put: (owner, given, options = {}) =>
      guardRead(async () => {
        requireWritable(given);
        if (given.length === 0) return;
        if (options.fence || given.some(({ ifVersion }) => ifVersion !== undefined))
          return putTogether(owner, given, options);
        await documents.bulkWrite(upserts(owner, given), { ordered: false, ...MAJORITY_WRITE });
      }),
    delete: (owner, keys, { fence } = {}) =>
      guardRead(async () => {
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
      }),
    clear: (owner, prefix, { fence } = {}) =>
      guardRead(async () => {
        if (prefix === '') throw new RangeError('A prefix is needed to delete documents.');
        if (fence)
          await inTransaction(sessions, (session) => requireLease(database, fence, session));
        // Not in the transaction: a deletion of many documents would be too large for one.
        await documents.deleteMany({ ...of(owner), key: rangeOf(prefix) }, MAJORITY_WRITE);
      }),
  };
};

/** Keys that start with it. */
const rangeOf = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}\u{10ffff}` });

const conflict = (key: string, version: number): VersionConflict =>
  new VersionConflict(
    version === 0 ? `The document "${key}" exists.` : `The document "${key}" has another version.`,
  );

import type * as mongo from 'mongodb';
import {
  type ClearOptions,
  type DocumentOwner,
  type DocumentQuery,
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
import { type PluginDocumentDocument as Stored, pluginDocuments } from './tables/plugins.js';
import { NO_TIMEOUT, MAJORITY_WRITE } from './concerns.js';

const DEFAULT_LIMIT = 100;

/** The server deletes what has expired within a minute; until then it is not seen. */
const UNEXPIRED = {
  $expr: { $gt: [{ $ifNull: ['$expireAt', { $add: ['$$NOW', 1] }] }, '$$NOW'] },
} as const;
const EXPIRED = { expireAt: { $type: 'date' }, $expr: { $lte: ['$expireAt', '$$NOW'] } } as const;

type Read = Pick<Stored, 'key' | 'v' | 'at'> & Partial<Stored>;

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

interface StorageParts {
  readonly database: mongo.Db;
  readonly sessions: SessionPool;
  /** The database server's time. */
  readonly clock: () => Date;
}

/** The collections of plugins, in one collection of the database. */
export const mongoPluginCollection = (
  parts: StorageParts,
  plugin: string,
  collection: string,
): PluginCollection => {
  const documents = pluginDocuments.in(parts.database);
  const of = (owner: DocumentOwner): OwnedDocuments =>
    new OwnedDocuments(documents, parts, { tenant: owner ?? '', plugin, collection });
  return guarded<PluginCollection>({
    get: async (owner, key) => (await of(owner).getMany([key])).get(key),
    getMany: (owner, ...given) => of(owner).getMany(...given),
    list: (owner, query) => of(owner).list(query),
    put: (owner, ...given) => of(owner).put(...given),
    add: (owner, ...given) => of(owner).add(...given),
    delete: (owner, ...given) => of(owner).delete(...given),
    clear: (owner, ...given) => of(owner).clear(...given),
  });
};

/** The documents of one owner in a collection. */
class OwnedDocuments {
  constructor(
    private readonly documents: mongo.Collection<Stored>,
    private readonly parts: StorageParts,
    private readonly place: Pick<Stored, 'tenant' | 'plugin' | 'collection'>,
  ) {}

  async getMany(keys: readonly string[], options: ReadOptions = {}) {
    if (keys.length === 0) return new Map<string, PluginDocument>();
    const found = await this.find({ $in: [...keys] }, keys.length, options);
    return new Map(found.map((document) => [document.key, document]));
  }

  list(query: DocumentQuery & ReadOptions = {}) {
    const { prefix = '', limit = DEFAULT_LIMIT } = query;
    const range = { ...(prefix !== '' && rangeOf(prefix)), ...boundsOf(query) };
    const key = Object.keys(range).length > 0 ? range : undefined;
    return this.find(key, Math.min(limit, MAX_DOCUMENTS), query);
  }

  async put(given: readonly NewDocument[], options: WriteOptions = {}): Promise<void> {
    requireWritable(given);
    if (given.length === 0) return;
    const [first] = given;
    const isVersioned = given.some(({ ifVersion }) => ifVersion !== undefined);
    if (first && isVersioned && given.length === 1 && !options.fence) return this.putAlone(first);
    const isTogether = options.fence !== undefined || isVersioned;
    const putAll = (all: readonly NewDocument[]): Promise<void> =>
      isTogether
        ? this.putTogether(all, options)
        : this.write(all, { ordered: false, ...MAJORITY_WRITE });
    await putAll(given).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return putAll(given.map(({ isNew: _isNew, ...document }) => document));
    });
  }

  async add(key: string, amounts: Readonly<Record<string, number>>): Promise<PluginDocument> {
    const added = Object.entries(amounts).map(([name, amount]) => [`value.${name}`, amount]);
    const document = await this.documents.findOneAndUpdate(
      { ...this.place, key },
      {
        $inc: { v: 1, ...(Object.fromEntries(added) as Readonly<Record<string, number>>) },
        $currentDate: { at: true },
        $setOnInsert: { expireAt: null },
      },
      { upsert: true, returnDocument: 'after', ...MAJORITY_WRITE },
    );
    if (!document) throw new Error('The addition returned no document.');
    return fromDocument(document);
  }

  async delete(keys: readonly string[], { fence }: WriteOptions = {}): Promise<void> {
    requireFew(keys);
    const filter = { ...this.place, key: { $in: [...keys] } };
    if (!fence) {
      await this.documents.deleteMany(filter, MAJORITY_WRITE);
      return;
    }
    await inTransaction(this.parts.sessions, async (session) => {
      await requireLease(this.parts.database, fence, session);
      await this.documents.deleteMany(filter, { session });
    });
  }

  async clear(prefix: string, { fence, ...bounds }: ClearOptions = {}): Promise<void> {
    const { database, sessions } = this.parts;
    if (prefix === '') throw new RangeError('A prefix is needed to delete documents.');
    if (fence) await inTransaction(sessions, (session) => requireLease(database, fence, session));
    // Not in the transaction: a deletion of many documents would be too large for one.
    const key = { ...rangeOf(prefix), ...boundsOf(bounds) };
    await this.documents.deleteMany({ ...this.place, key }, { ...MAJORITY_WRITE, ...NO_TIMEOUT });
  }

  private async find(
    key: mongo.Condition<string> | undefined,
    limit: number,
    options: ReadOptions,
  ) {
    // In one response.
    const all = { limit, batchSize: limit + 1, sort: { key: 1 } } as const;
    const filter = { ...this.place, ...(key !== undefined && { key }), ...UNEXPIRED };
    const found = this.documents.find<Read>(filter, { ...all, projection: projectionOf(options) });
    return (await found.toArray()).map(fromDocument);
  }

  /** Each by itself: a conflict must not write the documents before it. */
  private async putWithVersion(document: NewDocument, options: mongo.UpdateOptions): Promise<void> {
    const { key, ifVersion = 0 } = document;
    const filter = { ...this.place, key };
    const isNew = ifVersion === 0;
    if (isNew) await this.documents.deleteOne({ ...filter, ...EXPIRED }, options);
    const { matchedCount, upsertedCount } = await this.documents
      .updateOne({ ...filter, v: ifVersion }, written(document), { ...options, upsert: isNew })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw conflict(key, ifVersion);
        throw error;
      });
    if (matchedCount + upsertedCount === 0) throw conflict(key, ifVersion);
  }

  /** One document alone needs no transaction, of which a gateway has few at once. */
  private async putAlone(document: NewDocument): Promise<void> {
    if (document.ifVersion === 0)
      try {
        await this.documents.insertMany(this.inserts([document]), MAJORITY_WRITE);
        return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The one that is there may have expired.
      }
    await this.putWithVersion(document, MAJORITY_WRITE);
  }

  private putTogether(given: readonly NewDocument[], { fence }: WriteOptions): Promise<void> {
    return inTransaction(this.parts.sessions, async (session) => {
      if (fence) await requireLease(this.parts.database, fence, session);
      const versioned = given.filter(({ ifVersion }) => ifVersion !== undefined);
      const plain = given.filter(({ ifVersion }) => ifVersion === undefined);
      for (const document of versioned) await this.putWithVersion(document, { session });
      await this.write(plain, { session });
    });
  }

  private async write(given: readonly NewDocument[], options: mongo.BulkWriteOptions) {
    const added = given.filter(({ isNew }) => isNew === true);
    const others = given.filter(({ isNew }) => isNew !== true);
    if (added.length > 0) await this.documents.insertMany(this.inserts(added), options);
    if (others.length > 0) await this.documents.bulkWrite(this.upserts(others), options);
  }

  private inserts(given: readonly NewDocument[]) {
    return given.map(({ key, value, expiresAt = null }) => ({
      ...this.place,
      ...{ key, value, v: 1, at: this.parts.clock(), expireAt: expiresAt },
    }));
  }

  private upserts(given: readonly NewDocument[]) {
    return given.map((document) => ({
      updateOne: {
        filter: { ...this.place, key: document.key },
        update: written(document),
        upsert: true,
      },
    }));
  }
}

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

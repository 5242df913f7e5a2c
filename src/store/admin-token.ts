import type { mongo } from 'mongoose';
import { isDuplicateKey, guardRead } from './database-errors.js';
import type { Collections } from './tables/collections.js';
import { settings as settingsTable } from './tables/gateways.js';

/** The hash of the admin token, one for all gateways of the database. */
export interface AdminTokenStore {
  /** Undefined before the first start. */
  readonly find: () => Promise<string | undefined>;
  /** Sets it unless there is one; resolves with the current one. */
  readonly propose: (hash: string) => Promise<string>;
  /**
   * Sets it and resolves with the previous one; 'retired' if a rotation has replaced this hash, in
   * which case nothing changes.
   */
  readonly impose: (hash: string) => Promise<{ readonly before: string | undefined } | 'retired'>;
  /** Replaces one by another; false if the current one is not `from`. */
  readonly replace: (from: string, to: string) => Promise<boolean>;
}

const ID = 'admin-token';
/** The oldest are dropped. */
const MAX_RETIRED = 1_000;

/** Whether a rotation has replaced this token, for `rollgate doctor`. */
export const isRetiredToken = async (database: mongo.Db, hash: string): Promise<boolean> =>
  (await settingsTable.in(database).findOne({ _id: ID, retired: hash })) !== null;

export const mongoAdminTokenStore = ({
  settings,
}: Pick<Collections, 'settings'>): AdminTokenStore => {
  const read = () => settings.findOne({ _id: ID });

  const propose = async (hash: string): Promise<string> => {
    await settings
      .updateOne(
        { _id: ID },
        [{ $set: { hash: { $ifNull: ['$hash', hash] }, setAt: { $ifNull: ['$setAt', '$$NOW'] } } }],
        { upsert: true },
      )
      .catch(ignoreDuplicate);
    return (await read())?.hash ?? propose(hash);
  };

  const impose: AdminTokenStore['impose'] = async (hash) => {
    const before = await read();
    if (before?.retired?.includes(hash)) return 'retired';
    if (before?.hash === hash) return { before: hash };
    const { matchedCount, upsertedCount } = await settings
      .updateOne(
        { _id: ID, retired: { $ne: hash } },
        { $set: { hash }, $currentDate: { setAt: true } },
        { upsert: before === null },
      )
      .catch(ignoreDuplicate);
    // Another gateway has set one: start again with that.
    return matchedCount + upsertedCount > 0 ? { before: before?.hash } : impose(hash);
  };

  return {
    find: () => guardRead(async () => (await read())?.hash),
    propose,
    impose,
    replace: async (from, to) => {
      const { modifiedCount } = await settings.updateOne(
        { _id: ID, hash: from },
        {
          $set: { hash: to },
          $currentDate: { setAt: true },
          $push: { retired: { $each: [from], $slice: -MAX_RETIRED } },
        },
      );
      return modifiedCount === 1;
    },
  };
};

/** Of two concurrent upserts, one inserts the document. */
const ignoreDuplicate = (error: unknown) => {
  if (isDuplicateKey(error)) return { matchedCount: 0, upsertedCount: 0 };
  throw error;
};

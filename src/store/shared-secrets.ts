import type * as mongo from 'mongodb';
import { DatabaseError } from './connect.js';
import { settings } from './tables/gateways.js';
import { isDuplicateKey, guardRead } from './database-errors.js';
import type { AdminTokenStore } from '../ports/operators.js';
import type { Collections } from './tables/collections.js';

interface SecretBox {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

const KNOWN_TEXT = 'rollgate';
const KEY_ID = 'secret-key';

/** Whether the secrets in the database are encrypted with this key; null if there are none yet. */
export const isSealedUnder = async (
  database: mongo.Db,
  box: Pick<SecretBox, 'unseal'>,
): Promise<boolean | null> => {
  const stored = await settings.in(database).findOne({ _id: KEY_ID });
  return stored === null ? null : decryptError(stored.sealed, box) === undefined;
};

const decryptError = (sealed = '', { unseal }: Pick<SecretBox, 'unseal'>): unknown => {
  try {
    return unseal(sealed) === KNOWN_TEXT
      ? undefined
      : new Error('The stored text is not the expected one.');
  } catch (error) {
    return error;
  }
};

const WRONG_KEY =
  'The secrets in this database are encrypted with another key. Give this gateway the key of ' +
  'the others: ROLLGATE_SECRET_KEY (secretKey in the configuration), or the file ' +
  'secret-key of their data folder.';

/** Rejects with a DatabaseError if the database was encrypted with another key. Writes nothing. */
export const refuseWrongKey = async (
  database: mongo.Db,
  box: Pick<SecretBox, 'unseal'>,
): Promise<void> => {
  const stored = await settings.in(database).findOne({ _id: KEY_ID });
  const cause = stored === null ? undefined : decryptError(stored.sealed, box);
  if (cause !== undefined) throw new DatabaseError(WRONG_KEY, { cause });
};

/**
 * Rejects with a DatabaseError if the secrets in the database are encrypted with another key: a
 * gateway that cannot decrypt them must not start. The first gateway of a database stores a known
 * text, encrypted with its key.
 */
export const checkSecretKey = async (database: mongo.Db, box: SecretBox): Promise<void> => {
  await settings
    .in(database)
    .updateOne(
      { _id: KEY_ID },
      { $setOnInsert: { sealed: box.seal(KNOWN_TEXT) } },
      { upsert: true },
    );
  const stored = await settings.in(database).findOne({ _id: KEY_ID });
  const cause = decryptError(stored?.sealed, box);
  if (cause === undefined) return;
  throw new DatabaseError(WRONG_KEY, { cause });
};

const TOKEN_ID = 'admin-token';
/** The oldest are dropped. */
const MAX_RETIRED = 1_000;

/** Whether a rotation has replaced this token, for `rollgate doctor`. */
export const isRetiredToken = async (database: mongo.Db, hash: string): Promise<boolean> =>
  (await settings.in(database).findOne({ _id: TOKEN_ID, retired: hash })) !== null;

export const mongoAdminTokenStore = ({
  settings,
}: Pick<Collections, 'settings'>): AdminTokenStore => {
  const read = () => settings.findOne({ _id: TOKEN_ID });

  const propose = async (hash: string): Promise<string> => {
    await settings
      .updateOne(
        { _id: TOKEN_ID },
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
        { _id: TOKEN_ID, retired: { $ne: hash } },
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
        { _id: TOKEN_ID, hash: from },
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

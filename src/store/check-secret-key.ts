import type { mongo } from 'mongoose';
import { DatabaseError } from './connect.js';
import { settings } from './tables/gateways.js';

interface SecretBox {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

const KNOWN_TEXT = 'rollgate';
const ID = 'secret-key';

/** Whether the secrets in the database are encrypted with this key; null if there are none yet. */
export const isSealedUnder = async (
  database: mongo.Db,
  box: Pick<SecretBox, 'unseal'>,
): Promise<boolean | null> => {
  const stored = await settings.in(database).findOne({ _id: ID });
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
  const stored = await settings.in(database).findOne({ _id: ID });
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
    .updateOne({ _id: ID }, { $setOnInsert: { sealed: box.seal(KNOWN_TEXT) } }, { upsert: true });
  const stored = await settings.in(database).findOne({ _id: ID });
  const cause = decryptError(stored?.sealed, box);
  if (cause === undefined) return;
  throw new DatabaseError(WRONG_KEY, { cause });
};

import type { mongo } from 'mongoose';
import { DatabaseError } from './connect.js';
import { settings } from './tables/settings.js';

interface SecretBox {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

const KNOWN_TEXT = 'rollgate';
const ID = 'secret-key';

/** Whether the database's secrets are sealed under this key; null where there are none yet. */
export const isSealedUnder = async (
  database: mongo.Db,
  box: Pick<SecretBox, 'unseal'>,
): Promise<boolean | null> => {
  const stored = await settings.in(database).findOne({ _id: ID });
  return stored === null ? null : faultOf(stored.sealed, box) === undefined;
};

const faultOf = (sealed = '', { unseal }: Pick<SecretBox, 'unseal'>): unknown => {
  try {
    return unseal(sealed) === KNOWN_TEXT ? undefined : new Error('What it sealed is not ours.');
  } catch (error) {
    return error;
  }
};

const WRONG_KEY =
  'The secrets in this database were sealed under another key. Give this gateway the key of ' +
  'the others: ROLLGATE_SECRET_KEY (secretKey in the configuration), or the file ' +
  'secret-key of their data folder.';

/** Refuses another key than the one under which secrets are sealed, if any are; writes nothing. */
export const refuseWrongKey = async (
  database: mongo.Db,
  box: Pick<SecretBox, 'unseal'>,
): Promise<void> => {
  const stored = await settings.in(database).findOne({ _id: ID });
  const cause = stored === null ? undefined : faultOf(stored.sealed, box);
  if (cause !== undefined) throw new DatabaseError(WRONG_KEY, { cause });
};

/**
 * Refuses to run with another key than the one under which the database's secrets are sealed:
 * better no start than webhooks that cannot be signed. The first gateway of a database marks it with
 * its key. Rejects with a DatabaseError.
 */
export const checkSecretKey = async (database: mongo.Db, box: SecretBox): Promise<void> => {
  await settings
    .in(database)
    .updateOne({ _id: ID }, { $setOnInsert: { sealed: box.seal(KNOWN_TEXT) } }, { upsert: true });
  const stored = await settings.in(database).findOne({ _id: ID });
  const cause = faultOf(stored?.sealed, box);
  if (cause === undefined) return;
  throw new DatabaseError(WRONG_KEY, { cause });
};

import type { mongo } from 'mongoose';
import { DatabaseError } from './connect.js';

interface SettingDocument {
  readonly _id: string;
  readonly sealed: string;
}

interface Box {
  readonly seal: (plain: string) => string;
  readonly unseal: (sealed: string) => string;
}

const PROBE = 'rollgate';
const PROBE_ID = 'secret-key';

const settingsOf = (database: mongo.Db): mongo.Collection<SettingDocument> =>
  database.collection<SettingDocument>('settings');

/** Whether the database's secrets are sealed under this key; null where there are none yet. */
export const isSealedUnder = async (
  database: mongo.Db,
  box: Pick<Box, 'unseal'>,
): Promise<boolean | null> => {
  const kept = await settingsOf(database).findOne({ _id: PROBE_ID });
  return kept === null ? null : faultOf(kept.sealed, box) === undefined;
};

const faultOf = (sealed: string, { unseal }: Pick<Box, 'unseal'>): unknown => {
  try {
    return unseal(sealed) === PROBE ? undefined : new Error('What it sealed is not ours.');
  } catch (error) {
    return error;
  }
};

const OTHER_KEY =
  'The secrets in this database were sealed under another key. Give this gateway the key of ' +
  'the others: ROLLGATE_SECRET_KEY (secretKey in the configuration), or the file ' +
  'secret-key of their data folder.';

/** Refuses another key than the one under which secrets are sealed, if any are; writes nothing. */
export const refuseOtherKey = async (
  database: mongo.Db,
  box: Pick<Box, 'unseal'>,
): Promise<void> => {
  const kept = await settingsOf(database).findOne({ _id: PROBE_ID });
  const cause = kept === null ? undefined : faultOf(kept.sealed, box);
  if (cause !== undefined) throw new DatabaseError(OTHER_KEY, { cause });
};

/**
 * Refuses to run with another key than the one under which the database's secrets are sealed:
 * better no start than webhooks that cannot be signed. The first gateway of a database marks it with
 * its key. Rejects with a DatabaseError.
 */
export const checkSecretKey = async (database: mongo.Db, box: Box): Promise<void> => {
  const settings = settingsOf(database);
  await settings.updateOne(
    { _id: PROBE_ID },
    { $setOnInsert: { sealed: box.seal(PROBE) } },
    { upsert: true },
  );
  const kept = await settings.findOne({ _id: PROBE_ID });
  const cause = faultOf(kept?.sealed ?? '', box);
  if (cause === undefined) return;
  throw new DatabaseError(OTHER_KEY, { cause });
};

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

/**
 * Refuses to run with another key than the one under which the database's secrets are sealed:
 * better no start than webhooks that cannot be signed. Rejects with a DatabaseError.
 */
export const checkSecretKey = async (database: mongo.Db, box: Box): Promise<void> => {
  const settings = database.collection<SettingDocument>('settings');
  await settings.updateOne(
    { _id: 'secret-key' },
    { $setOnInsert: { sealed: box.seal(PROBE) } },
    { upsert: true },
  );
  const kept = await settings.findOne({ _id: 'secret-key' });
  try {
    if (box.unseal(kept?.sealed ?? '') === PROBE) return;
  } catch (cause) {
    throw new DatabaseError(
      'The secrets in this database were sealed under another key. Give this gateway the key of ' +
        'the others: ROLLGATE_SECRET_KEY (secretKey in the configuration), or the file ' +
        'secret-key of their data folder.',
      { cause },
    );
  }
};

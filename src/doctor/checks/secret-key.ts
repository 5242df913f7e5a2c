import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSecretKey, SECRET_KEY_FILE } from '../../secrets/local-secrets.js';
import { createSecretBox } from '../../plugin/host/secret-box.js';
import { isSealedUnder } from '../../store/shared-secrets.js';
import type { DoctorContext } from '../context.js';
import { inaccessible, isMissing } from '../reason-of.js';
import {
  type Check,
  type CheckResult,
  CheckSkipped,
  fail,
  ok,
  reveal,
  skip,
} from '../check-result.js';

/** The secret key is valid, and decrypts the database's secrets. */
export const checkSecretKey: Check = async (context) => {
  const { from, text } = await findKey(context);
  if (text === undefined) return evaluateMissing(await matchDatabase(context, randomBytes(32)));
  const key = parseSecretKey(text);
  if (key === undefined)
    return fail(
      `The secret key ${from} is not 32 bytes in base64.`,
      'Restore it from a backup. If nothing is encrypted yet, create one: openssl rand -base64 32',
    );
  return evaluate(from, await matchDatabase(context, key));
};

/** The key; undefined if there is none, or none that can be used. */
export const readSecretKey = async (context: DoctorContext): Promise<Buffer | undefined> => {
  const { text } = await findKey(context);
  return text === undefined ? undefined : parseSecretKey(text);
};

interface FoundKey {
  /** `in .rollgate/secret-key`, `in the configuration` */
  readonly from: string;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

const findKey = async ({ config, dataDir }: DoctorContext): Promise<FoundKey> => {
  const { secretKey } = config();
  if (secretKey !== null)
    return { text: reveal(secretKey, 'secretKey'), from: 'in the configuration' };
  const path = join(dataDir(), SECRET_KEY_FILE);
  const text = await readFile(path, 'utf8').catch((error: unknown) =>
    isMissing(error) ? undefined : inaccessible(path, error),
  );
  return { text: text?.trim(), from: `in ${path}` };
};

/** Whether the key is the database's; null if it has none yet, undefined without a database. */
type KeyMatch = boolean | null | undefined;

const matchDatabase = async ({ database }: DoctorContext, key: Buffer): Promise<KeyMatch> => {
  try {
    return await isSealedUnder((await database()).database, createSecretBox(key));
  } catch (error) {
    if (error instanceof CheckSkipped) return undefined;
    throw error;
  }
};

const SAME_KEY =
  'All gateways of a database need the same key: set ROLLGATE_SECRET_KEY, or copy the file ' +
  "secret-key from another gateway's data folder.";

const evaluate = (from: string, match: KeyMatch): CheckResult => {
  if (match === true) return ok(`The secret key ${from} decrypts the database's secrets.`);
  if (match === null) return ok(`The secret key ${from} is valid; nothing is encrypted yet.`);
  if (match === undefined)
    return ok(`The secret key ${from} is valid; there is no database to verify it against.`);
  return fail(
    `The database's secrets are encrypted with another key than the one ${from}.`,
    SAME_KEY,
  );
};

const evaluateMissing = (match: KeyMatch): CheckResult =>
  match === false
    ? fail("The database's secrets are encrypted with a key that is missing here.", SAME_KEY)
    : skip('No secret key yet; the first start creates one.');

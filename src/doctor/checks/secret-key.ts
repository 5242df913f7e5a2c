import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSecretKey, SECRET_KEY_FILE } from '../../local-secrets.js';
import { createSecretBox } from '../../plugin/secret-box.js';
import { isSealedUnder } from '../../store/check-secret-key.js';
import type { DoctorContext } from '../context.js';
import { isAbsence, notOurs } from '../not-ours.js';
import { reveal } from '../reveal.js';
import { type Check, fail, NotCheckable, ok, skip, type Verdict } from '../verdict.js';

/** The key under which the database's secrets are sealed is well-formed, and the right one. */
export const checkSecretKey: Check = async (context) => {
  const { from, text } = await findKey(context);
  if (text === undefined) return judgeAbsent(await isFitting(context, randomBytes(32)));
  const key = parseSecretKey(text);
  if (key === undefined)
    return fail(
      `The secret key ${from} is not 32 bytes in base64.`,
      'Restore it from a backup; where nothing is sealed yet: openssl rand -base64 32',
    );
  return judge(from, await isFitting(context, key));
};

interface FoundKey {
  /** `in .rollgate/secret-key`, `of the configuration` */
  readonly from: string;
  /** Undefined where there is none. */
  readonly text: string | undefined;
}

const findKey = async ({ config, dataDir }: DoctorContext): Promise<FoundKey> => {
  const { secretKey } = config();
  if (secretKey !== null)
    return { text: reveal(secretKey, 'secretKey'), from: 'of the configuration' };
  const path = join(dataDir(), SECRET_KEY_FILE);
  const text = await readFile(path, 'utf8').catch((error: unknown) =>
    isAbsence(error) ? undefined : notOurs(path, error),
  );
  return { text: text?.trim(), from: `in ${path}` };
};

/** What the key is to the database: its own, another one, or none yet; undefined: none to ask. */
type Fit = boolean | null | undefined;

const isFitting = async ({ database }: DoctorContext, key: Buffer): Promise<Fit> => {
  try {
    return await isSealedUnder((await database()).database, createSecretBox(key));
  } catch (error) {
    if (error instanceof NotCheckable) return undefined;
    throw error;
  }
};

const SAME_KEY =
  'Give every gateway of this database the same key: ROLLGATE_SECRET_KEY, or the file secret-key ' +
  "of the others' data folder.";

const judge = (from: string, fit: Fit): Verdict => {
  if (fit === true) return ok(`The key ${from} opens the database's secrets.`);
  if (fit === null) return ok(`The key ${from} is well-formed; nothing is sealed yet.`);
  if (fit === undefined)
    return ok(`The key ${from} is well-formed; there was no database to try it on.`);
  return fail(`The database's secrets are sealed under another key than that ${from}.`, SAME_KEY);
};

const judgeAbsent = (fit: Fit): Verdict =>
  fit === false
    ? fail("The database's secrets are sealed under a key that is not here.", SAME_KEY)
    : skip('There is no secret key yet; the first start makes one.');

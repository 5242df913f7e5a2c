import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsence, notOurs } from '../not-ours.js';
import { FOR_OTHERS, modeText, SECRET_FILES } from '../secret-files.js';
import { type Check, fail, ok, skip, warn } from '../verdict.js';

interface SecretFile {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
}

/** The files of secrets in the data folder are whole, and for their owner's eyes only. */
export const checkSecretFiles: Check = async (context) => {
  if (!context.usesDataDir())
    return skip('Nothing is kept in a folder: database and secrets are configured.');
  const folder = context.dataDir();
  const read = SECRET_FILES.map((name) => look(folder, name));
  const files = (await Promise.all(read)).flatMap((file) => file ?? []);
  if (files.length === 0) return skip(`${folder} has no secrets yet; the first start makes them.`);
  const modes = files.map(({ name, mode }) => [name, modeText(mode)]);
  const details = { path: folder, modes: Object.fromEntries(modes) as Record<string, string> };

  const empty = files.filter(({ size }) => size === 0);
  if (empty.length > 0)
    return fail(
      `Empty in ${folder}: ${namesOf(empty)}.`,
      'Restore what is empty from a backup. Without the secret key what it sealed is lost.',
      details,
    );
  const open = files.filter(
    ({ mode }) => process.platform !== 'win32' && (mode & FOR_OTHERS) !== 0,
  );
  if (open.length > 0)
    return warn(
      `Open to other accounts in ${folder}: ${namesOf(open)}.`,
      `chmod 600 ${open.map(({ name }) => join(folder, name)).join(' ')}; then change what they may have read.`,
      details,
    );
  return ok(`${namesOf(files)} in ${folder} are for their owner alone.`, details);
};

const look = async (folder: string, name: string): Promise<SecretFile | undefined> => {
  try {
    const { size, mode } = await stat(join(folder, name));
    return { name, size, mode };
  } catch (error) {
    return isAbsence(error) ? undefined : notOurs(folder, error);
  }
};

const namesOf = (files: readonly SecretFile[]): string => files.map(({ name }) => name).join(', ');

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inaccessible, isMissing } from '../reason-of.js';
import { modeText, OTHERS_MASK, SECRET_FILES } from '../secret-files.js';
import { type Check, fail, ok, skip, warn } from '../check-result.js';

interface SecretFile {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
}

/** The secret files in the data folder are not empty, and readable by their owner only. */
export const checkSecretFiles: Check = async (context) => {
  if (!context.usesDataDir()) return skip('Not used: database and secrets are configured.');
  const folder = context.dataDir();
  const read = SECRET_FILES.map((name) => look(folder, name));
  const files = (await Promise.all(read)).flatMap((file) => file ?? []);
  if (files.length === 0)
    return skip(`${folder} contains no secrets yet; the first start creates them.`);
  const modes = files.map(({ name, mode }) => [name, modeText(mode)]);
  const details = { path: folder, modes: Object.fromEntries(modes) as Record<string, string> };

  const empty = files.filter(({ size }) => size === 0);
  if (empty.length > 0)
    return fail(
      `Empty files in ${folder}: ${namesOf(empty)}.`,
      'Restore them from a backup. Without the secret key, what it encrypts is lost.',
      details,
    );
  const open = files.filter(
    ({ mode }) => process.platform !== 'win32' && (mode & OTHERS_MASK) !== 0,
  );
  if (open.length > 0)
    return warn(
      `Readable by other accounts in ${folder}: ${namesOf(open)}.`,
      `chmod 600 ${open.map(({ name }) => join(folder, name)).join(' ')}; then replace these secrets.`,
      details,
    );
  return ok(`Readable by their owner only in ${folder}: ${namesOf(files)}.`, details);
};

const look = async (folder: string, name: string): Promise<SecretFile | undefined> => {
  try {
    const { size, mode } = await stat(join(folder, name));
    return { name, size, mode };
  } catch (error) {
    return isMissing(error) ? undefined : inaccessible(folder, error);
  }
};

const namesOf = (files: readonly SecretFile[]): string => files.map(({ name }) => name).join(', ');

import { type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isWritable, nearestFolder } from '../nearest-folder.js';
import { codeOf } from '../reason-of.js';
import { modeText, OTHERS_MASK } from '../secret-files.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

const USE_ANOTHER = 'choose another folder with ROLLGATE_DATA_DIR (dataDir in the configuration)';
const REMEDY = `Run gateway and doctor under the account that owns it, or ${USE_ANOTHER}.`;

/** The data folder exists or can be created, is writable, and is closed to other accounts. */
export const checkDataFolder: Check = async (context) => {
  if (!context.usesDataDir()) return skip('Not used: database and secrets are configured.');
  const folder = context.dataDir();
  try {
    return await evaluate(folder, await stat(folder));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return evaluateMissing(folder);
    return fail(`Cannot access ${folder} (${code}).`, REMEDY);
  }
};

const evaluate = async (folder: string, found: Stats): Promise<CheckResult> => {
  const details = { path: folder, mode: modeText(found.mode), owner: found.uid };
  if (!found.isDirectory())
    return fail(`${folder} is not a folder.`, `Remove it, or ${USE_ANOTHER}.`, details);
  if (!(await isWritable(folder))) return fail(`${folder} is not writable.`, REMEDY, details);
  if (process.platform !== 'win32' && (found.mode & OTHERS_MASK) !== 0)
    return warn(
      `${folder} is accessible to other accounts (mode ${details.mode}).`,
      `chmod 700 ${folder}`,
      details,
    );
  return ok(`${folder} is writable, and accessible to its owner only.`, details);
};

const evaluateMissing = async (folder: string): Promise<CheckResult> => {
  const parent = await nearestFolder(folder);
  if (await isWritable(parent))
    return ok(`${folder} does not exist yet; the first start creates it.`, { path: folder });
  return fail(
    `${folder} does not exist and cannot be created in ${parent}.`,
    `Make ${parent} writable, or ${USE_ANOTHER}.`,
    { path: folder },
  );
};

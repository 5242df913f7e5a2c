import { type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isWritable, nearestFolder } from '../nearest-folder.js';
import { codeOf } from '../reason-of.js';
import { FOR_OTHERS, modeText } from '../secret-files.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';

const OTHER_PLACE = 'name another folder by ROLLGATE_DATA_DIR (dataDir in the configuration)';
const REMEDY = `Run gateway and doctor under the account that it belongs to, or ${OTHER_PLACE}.`;

/** The data folder is there or can be made, can be written, and is closed to others. */
export const checkDataFolder: Check = async (context) => {
  if (!context.usesDataDir())
    return skip('Nothing is kept in a folder: database and secrets are configured.');
  const folder = context.dataDir();
  try {
    return await judge(folder, await stat(folder));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return judgeAbsent(folder);
    return fail(`${folder} cannot be looked at (${code}).`, REMEDY);
  }
};

const judge = async (folder: string, found: Stats): Promise<Verdict> => {
  const details = { path: folder, mode: modeText(found.mode), owner: found.uid };
  if (!found.isDirectory())
    return fail(`${folder} is no folder.`, `Remove it, or ${OTHER_PLACE}.`, details);
  if (!(await isWritable(folder))) return fail(`${folder} cannot be written.`, REMEDY, details);
  if (process.platform !== 'win32' && (found.mode & FOR_OTHERS) !== 0)
    return warn(
      `${folder} is open to other accounts of this machine (mode ${details.mode}).`,
      `chmod 700 ${folder}`,
      details,
    );
  return ok(`${folder} can be written, by its owner alone.`, details);
};

const judgeAbsent = async (folder: string): Promise<Verdict> => {
  const parent = await nearestFolder(folder);
  if (await isWritable(parent))
    return ok(`${folder} is not there yet; the first start makes it.`, { path: folder });
  return fail(
    `${folder} is not there, and cannot be made in ${parent}.`,
    `Make ${parent} writable, or ${OTHER_PLACE}.`,
    { path: folder },
  );
};

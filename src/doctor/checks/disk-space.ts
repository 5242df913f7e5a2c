import { statfs } from 'node:fs/promises';
import { nearestFolder } from '../nearest-folder.js';
import { type Check, fail, ok, skip, type Verdict, warn } from '../verdict.js';

/** Of one file system, in bytes. */
export interface DiskSpace {
  /** For accounts that are not root. */
  readonly free: number;
  readonly total: number;
}

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
const LEAST_SHARE = 0.15;
const LEAST_FREE = GIBIBYTE;
/** Its journal grows by files of 100 MB, and mongod aborts where there is no room for one. */
const NONE_LEFT = 200 * MEBIBYTE;

/** The file system of the data folder has room: a full one ends the database (reliability.md 4). */
export const checkDiskSpace: Check = async (context) => {
  if (!context.isEmbedded()) return skip("The database is elsewhere: watch its servers' disks.");
  const folder = await nearestFolder(context.dataDir());
  const { bsize, bavail, blocks } = await statfs(folder);
  return judgeSpace(folder, { free: bavail * bsize, total: blocks * bsize });
};

export const judgeSpace = (folder: string, { free, total }: DiskSpace): Verdict => {
  const share = total > 0 ? free / total : 1;
  const what = `${inWords(free)} of ${inWords(total)} (${Math.floor(share * 100)} %) are free for ${folder}`;
  const details = { path: folder, free_bytes: free, total_bytes: total };
  if (free < NONE_LEFT)
    return fail(`Only ${what}: the embedded database ends when nothing is left.`, REMEDY, details);
  if (share < LEAST_SHARE || free < LEAST_FREE) return warn(`Only ${what}.`, REMEDY, details);
  return ok(`${what}.`, details);
};

const REMEDY =
  'Make room or give it a larger disk; the alarm is at 15 % and at 1 GiB. ' +
  'retention.events and retention.commandLog say how much is kept.';

const inWords = (bytes: number): string =>
  bytes < GIBIBYTE
    ? `${Math.floor(bytes / MEBIBYTE)} MiB`
    : `${Math.floor((bytes / GIBIBYTE) * 10) / 10} GiB`;

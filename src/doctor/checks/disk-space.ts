import { nearestFolder } from '../nearest-folder.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
const MIN_SHARE = 0.15;
const MIN_FREE = GIBIBYTE;
/** mongod writes journal files of 100 MB, and aborts if one does not fit. */
const CRITICAL = 200 * MEBIBYTE;

interface DiskSpace {
  readonly bsize: number;
  /** Available to accounts other than root. */
  readonly bavail: number;
  readonly blocks: number;
}

/** The disk of the data folder has space: mongod aborts on a full one (reliability.md 4). */
export const checkDiskSpace =
  (measure: (folder: string) => Promise<DiskSpace>): Check =>
  async (context) => {
    if (!context.isEmbedded())
      return skip("Not checked: the database is not embedded. Monitor its servers' disks.");
    const folder = await nearestFolder(context.dataDir());
    const { bsize, bavail, blocks } = await measure(folder);
    return evaluate(folder, bavail * bsize, blocks * bsize);
  };

const evaluate = (folder: string, free: number, total: number): CheckResult => {
  const share = total > 0 ? free / total : 1;
  const what = `${format(free)} of ${format(total)} (${Math.floor(share * 100)} %) free for ${folder}`;
  const details = { path: folder, free_bytes: free, total_bytes: total };
  if (free < CRITICAL)
    return fail(
      `Only ${what}; the embedded database aborts when the disk is full.`,
      REMEDY,
      details,
    );
  if (share < MIN_SHARE || free < MIN_FREE) return warn(`Only ${what}.`, REMEDY, details);
  return ok(`${what}.`, details);
};

const REMEDY =
  'Free space or use a larger disk; this check warns below 15 % or 1 GiB. retention.events and ' +
  'retention.commandLog set how long data is kept.';

const format = (bytes: number): string =>
  bytes < GIBIBYTE
    ? `${Math.floor(bytes / MEBIBYTE)} MiB`
    : `${Math.floor((bytes / GIBIBYTE) * 10) / 10} GiB`;

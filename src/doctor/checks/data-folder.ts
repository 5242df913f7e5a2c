import { access, constants, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Stats } from 'node:fs';
import {
  codeOf,
  inaccessible,
  isMissing,
  type Check,
  type CheckResult,
  fail,
  ok,
  skip,
  warn,
} from '../check.js';
import { modeText, OTHERS_MASK } from './secrets.js';
import { findHolder, type FoundHolder } from '../../store/embedded/data-folder-lock.js';
import { findServingMongod } from '../../store/embedded/running-process.js';
import { cacheFolder } from '../../process/cache-folder.js';
import { readDataVersion, seriesOf } from '../../store/embedded/mongod-settings.js';
import {
  findMongod,
  type FoundMongod,
  LOCAL_SOURCES,
  NoMongodError,
} from '../../store/embedded/resolve-mongod.js';

/** The folder if it exists, otherwise the nearest existing parent. */
const nearestFolder = async (path: string): Promise<string> =>
  (await exists(path)) || dirname(path) === path ? path : nearestFolder(dirname(path));

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Checked without writing anything. */
const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );

const USE_ANOTHER = 'choose another folder with ROLLGATE_DATA_DIR (dataDir in the configuration)';
const RUN_AS_OWNER = `Run gateway and doctor under the account that owns it, or ${USE_ANOTHER}.`;

/** The data folder exists or can be created, is writable, and is closed to other accounts. */
export const checkDataFolder: Check = async (context) => {
  if (!context.usesDataDir()) return skip('Not used: database and secrets are configured.');
  const folder = context.dataDir();
  try {
    return await evaluateFolder(folder, await stat(folder));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return evaluateMissingFolder(folder);
    return fail(`Cannot access ${folder} (${code}).`, RUN_AS_OWNER);
  }
};

const evaluateFolder = async (folder: string, found: Stats): Promise<CheckResult> => {
  const details = { path: folder, mode: modeText(found.mode), owner: found.uid };
  if (!found.isDirectory())
    return fail(`${folder} is not a folder.`, `Remove it, or ${USE_ANOTHER}.`, details);
  if (!(await isWritable(folder))) return fail(`${folder} is not writable.`, RUN_AS_OWNER, details);
  // In containers group 0 is that of the account, whichever it is (OpenShift).
  const others = found.gid === 0 ? OTHERS_MASK & 0o007 : OTHERS_MASK;
  if (process.platform !== 'win32' && (found.mode & others) !== 0)
    return warn(
      `${folder} is accessible to other accounts (mode ${details.mode}).`,
      `chmod 700 ${folder}`,
      details,
    );
  const isForGroup = process.platform !== 'win32' && (found.mode & 0o070) !== 0;
  const accounts = isForGroup ? 'its owner and its group 0' : 'its owner';
  return ok(`${folder} is writable, and accessible to ${accounts} only.`, details);
};

const evaluateMissingFolder = async (folder: string): Promise<CheckResult> => {
  const parent = await nearestFolder(folder);
  if (await isWritable(parent))
    return ok(`${folder} does not exist yet; the first start creates it.`, { path: folder });
  return fail(
    `${folder} does not exist and cannot be created in ${parent}.`,
    `Make ${parent} writable, or ${USE_ANOTHER}.`,
    { path: folder },
  );
};

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
    return evaluateSpace(folder, bavail * bsize, blocks * bsize);
  };

const evaluateSpace = (folder: string, free: number, total: number): CheckResult => {
  const share = total > 0 ? free / total : 1;
  const what = `${formatBytes(free)} of ${formatBytes(total)} (${Math.floor(share * 100)} %) free for ${folder}`;
  const details = { path: folder, free_bytes: free, total_bytes: total };
  if (free < CRITICAL)
    return fail(
      `Only ${what}; the embedded database aborts when the disk is full.`,
      FREE_SPACE,
      details,
    );
  if (share < MIN_SHARE || free < MIN_FREE) return warn(`Only ${what}.`, FREE_SPACE, details);
  return ok(`${what}.`, details);
};

const FREE_SPACE =
  'Free space or use a larger disk; this check warns below 15 % or 1 GiB. retention.events and ' +
  'retention.commandLog set how long data is kept.';

const formatBytes = (bytes: number): string =>
  bytes < GIBIBYTE
    ? `${Math.floor(bytes / MEBIBYTE)} MiB`
    : `${Math.floor((bytes / GIBIBYTE) * 10) / 10} GiB`;

/** The data folder is used by one gateway with its mongod, or not at all. */
export const checkFolderLock: Check = async ({ isEmbedded, dataDir }) => {
  if (!isEmbedded()) return skip('Not checked: the database is not embedded.');
  const folder = dataDir();
  if (await doesNotExist(folder)) return ok(`${folder} is not in use.`);
  const holder = await findHolder(folder).catch((error: unknown) => inaccessible(folder, error));
  if (holder?.original !== undefined) return evaluateCopy(folder, holder, holder.original);
  const mongod = (await findServingMongod(join(folder, 'db')))?.pid;
  return evaluateUsers(folder, { gateway: holder?.pid, mongod });
};

const evaluateCopy = (folder: string, { pid }: FoundHolder, original: string): CheckResult =>
  fail(
    `${folder} is a copy of ${original}, made while a gateway (process ${pid}) was using it.`,
    'Its database may be damaged. Restore a copy made while no gateway was running, or a snapshot; ' +
      'in a snapshot, delete the file rollgate-….lock.',
    { path: folder, original, gateway_pid: pid },
  );

interface FolderUsers {
  readonly gateway: number | undefined;
  readonly mongod: number | undefined;
}

const evaluateUsers = (folder: string, { gateway, mongod }: FolderUsers): CheckResult => {
  const details = { path: folder, gateway_pid: gateway ?? null, mongod_pid: mongod ?? null };
  if (gateway === undefined && mongod === undefined) return ok(`${folder} is not in use.`, details);
  if (gateway === undefined)
    return warn(
      `A mongod (process ${mongod ?? 0}) left behind by a killed gateway is using ${folder}.`,
      'It stops within seconds. If not, the next start stops it.',
      details,
    );
  if (mongod === undefined)
    return warn(
      `A gateway (process ${gateway}) has locked ${folder}, but no mongod is running.`,
      `It is starting, or its mongod fails: see ${join(folder, 'mongod.log')}.`,
      details,
    );
  return ok(
    `A gateway (process ${gateway}) with its mongod (process ${mongod}) is using ${folder}.`,
    details,
  );
};

const doesNotExist = (folder: string): Promise<boolean> =>
  stat(folder).then(() => false, isMissing);

const nothing = (): void => undefined;
const SILENT = { info: nothing, warn: nothing, error: nothing };

/** The mongod that the next start would run, and whether it can open the data. */
export const checkMongod: Check = async ({ env, isEmbedded, dataDir }) => {
  if (!isEmbedded()) return skip('Not checked: the database is not embedded.');
  const context = { env, cacheDir: cacheFolder(env), log: SILENT };
  try {
    const found = await findMongod(context, LOCAL_SOURCES);
    return evaluateMongod(found, await readDataVersion(dataDir()));
  } catch (error) {
    if (error instanceof NoMongodError) return evaluateNoMongod(error.failures, env);
    throw error;
  }
};

const evaluateMongod = (
  { binary, source }: FoundMongod,
  writtenBy: string | undefined,
): CheckResult => {
  const { version, path } = binary;
  const details = { version, path, source, data_written_by: writtenBy ?? null };
  if (writtenBy === undefined || seriesOf(writtenBy) === seriesOf(version))
    return ok(`mongod ${version} from ${source} (${path}).`, details);
  return warn(
    `mongod ${version} from ${source} may be unable to open data written by ${writtenBy}.`,
    `Set MONGOMS_SYSTEM_BINARY to a mongod ${seriesOf(writtenBy)}. Upgrade one release at a time.`,
    details,
  );
};

/** If the configured binary does not run, a start tries no other source. */
const evaluateNoMongod = (misses: readonly string[], env: NodeJS.ProcessEnv): CheckResult => {
  const tried = misses.join('; ');
  if (env.MONGOMS_SYSTEM_BINARY)
    return fail(
      `The mongod in MONGOMS_SYSTEM_BINARY does not run (${tried}).`,
      'Correct or unset MONGOMS_SYSTEM_BINARY.',
      { tried: misses },
    );
  return warn(
    `No mongod found (${tried}).`,
    'The next start downloads one. Without network access, put mongod on PATH, or set ' +
      'ROLLGATE_MONGODB_URI to a replica set.',
    { tried: misses },
  );
};

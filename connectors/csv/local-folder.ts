import type { Dirent } from 'node:fs';
import {
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  realpath,
  rename,
} from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { SourceError } from '../../src/plugin/api.js';
import type { FileEntry, Folder } from './folder.js';

/** Also because sorting more of them would take long. */
const MAX_FILES = 100_000;

/**
 * A folder on this machine. It may be a symbolic link itself; nothing in it is followed, because
 * those who write to it must not choose which file the gateway reads.
 */
export const openLocalFolder = async (path: string): Promise<Folder> => {
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof SourceError ? error : describeFault(error, path);
    }
  };
  const root = await attempt(() => realpath(path));
  return {
    title: path,
    hasOurClock: true,
    list: (subfolder) =>
      attempt(async () => {
        if (subfolder === undefined) return filesIn(root, path);
        const folder = join(root, subfolder);
        if (!(await exists(folder))) return [];
        await requireInside(folder, root);
        return filesIn(folder, path);
      }),
    read: (name) =>
      attempt(async () => {
        const handle = await openRegular(join(root, name), root);
        return handle.createReadStream();
      }),
    makeFolder: (name) =>
      attempt(async () => {
        const folder = join(root, name);
        await mkdir(folder, { recursive: true });
        await requireInside(folder, root);
      }),
    move: (from, to) =>
      attempt(async () => {
        await requireInside(dirname(join(root, to)), root);
        await rename(join(root, from), join(root, to));
      }),
    close: () => Promise.resolve(),
  };
};

/** Links too, so that the newest one is refused with a reason when it is read. */
const filesIn = async (folder: string, title: string): Promise<readonly FileEntry[]> => {
  const names: string[] = [];
  for await (const entry of await opendir(folder)) {
    if (!isFileOrLink(entry)) continue;
    names.push(entry.name);
    if (names.length > MAX_FILES)
      throw new SourceError(
        'config',
        `The folder ${title} has more than ${MAX_FILES} files. Delete old ones, or set \`archive\`.`,
      );
  }
  const files: FileEntry[] = [];
  for (const name of names) {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (!found || !isFileOrLink(found)) continue;
    files.push({ name, size: found.size, modifiedAt: Math.trunc(found.mtimeMs) });
  }
  return files;
};

const isFileOrLink = (entry: Pick<Dirent, 'isFile' | 'isSymbolicLink'>): boolean =>
  entry.isFile() || entry.isSymbolicLink();

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );

/** Opening a pipe or a device would otherwise wait for its other side. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What was opened is checked, rather than the path: between a check and `open` it may change. */
const openRegular = async (path: string, root: string): Promise<FileHandle> => {
  const handle = await open(path, FLAGS).catch((error: unknown) => {
    throw isLinkFault(error) ? refusal(path, 'is a symbolic link') : error;
  });
  try {
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) throw refusal(path, 'is not a regular file');
    const real = await requireInside(path, root);
    const there = await lstat(real, { bigint: true });
    if (there.dev !== opened.dev || there.ino !== opened.ino)
      throw refusal(path, 'was replaced while it was being opened');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** The real path of a file or folder, which must be below the folder. */
const requireInside = async (path: string, root: string): Promise<string> => {
  const real = await realpath(path);
  if (real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw refusal(path, 'leads out of the folder by a symbolic link');
};

const refusal = (path: string, reason: string): SourceError =>
  new SourceError(
    'config',
    `${path} ${reason}: only regular files below the configured folder are read.`,
  );

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** ELOOP on Linux and macOS, EMLINK on FreeBSD. */
const isLinkFault = (error: unknown): boolean => ['ELOOP', 'EMLINK'].includes(codeOf(error) ?? '');

const describeFault = (error: unknown, path: string): SourceError => {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new SourceError(
      'config',
      `There is no folder ${path}. Create it, or set another \`folder\`.`,
      { cause: error },
    );
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new SourceError(
      'permission',
      `The gateway may not use the folder ${path} (${code}). Give its user the right to read it ` +
        'and, with `archive`, to write to it.',
      { cause: error },
    );
  return new SourceError('network', `The folder ${path} cannot be read: ${String(error)}.`, {
    cause: error,
  });
};

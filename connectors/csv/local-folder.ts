import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../../src/plugin/api.js';
import type { FileEntry, Folder } from './folder.js';

/** A folder on this machine. */
export const openLocalFolder = (path: string): Folder => {
  const sentence = (error: unknown): SourceError => describeFault(error, path);
  return {
    title: path,
    hasOurClock: true,
    list: async (subfolder) => {
      try {
        return await filesIn(subfolder === undefined ? path : join(path, subfolder));
      } catch (error) {
        if (subfolder !== undefined && codeOf(error) === 'ENOENT') return [];
        throw sentence(error);
      }
    },
    read: (name) => createReadStream(join(path, name)),
    makeFolder: async (name) => {
      await mkdir(join(path, name), { recursive: true }).catch((error: unknown) => {
        throw sentence(error);
      });
    },
    move: async (from, to) => {
      await rename(join(path, from), join(path, to)).catch((error: unknown) => {
        throw sentence(error);
      });
    },
    close: () => Promise.resolve(),
  };
};

const filesIn = async (folder: string): Promise<readonly FileEntry[]> => {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name);
  const files: FileEntry[] = [];
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    files.push({ name, size: found.size, modifiedAt: Math.trunc(found.mtimeMs) });
  }
  return files;
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

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

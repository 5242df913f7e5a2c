import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The folder if it exists, otherwise the nearest existing parent. */
export const nearestFolder = async (path: string): Promise<string> =>
  (await exists(path)) || dirname(path) === path ? path : nearestFolder(dirname(path));

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Checked without writing anything. */
export const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );

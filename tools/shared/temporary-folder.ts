import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';

/** A folder that the cleanup removes with everything in it. */
export const temporaryFolder = async (name: string, { defer }: Cleanup): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `rollgate-${name}-`));
  defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

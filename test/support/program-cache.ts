import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * In the folder for temporary files, not in the home folder: servers that refuse to run as root run
 * as another user, who has to reach it.
 */
export const openProgramCache = async (): Promise<string> => {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `rollgate-servers-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const { uid: owner, mode } = await stat(folder);
  if (owner !== uid || (mode & 0o022) !== 0)
    throw new Error(`${folder} belongs to, or can be changed by, another user.`);
  await chmod(folder, 0o755);
  return folder;
};

/** Installs a program into the cache, unless it is there; returns its folder. */
export const installOnce = async (
  name: string,
  install: (draft: string) => Promise<void>,
): Promise<string> => {
  const cache = await openProgramCache();
  const target = join(cache, name);
  if (existsSync(target)) return target;
  const draft = await mkdtemp(join(cache, '.draft-'));
  try {
    await install(draft);
    await chmod(draft, 0o755);
    // A test file that runs in parallel may have been faster.
    await rename(draft, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** The last line that a failed program printed. */
export const reasonOf = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  return (stderr ?? message).trim().split('\n').at(-1) ?? '';
};

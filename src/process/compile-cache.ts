/**
 * Import this before anything large: from its second start on, Node.js 22 and later read compiled
 * code from the cache folder. Node.js 20 has no such cache; without a writable folder, there is none
 * either. `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` overrule this.
 */
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';

interface CachingModule {
  readonly enableCompileCache?: (folder?: string) => unknown;
}

/** Code is run from it: no other user may write to it. */
const isPrivate = (folder: string): boolean => {
  const { mode, uid } = statSync(folder);
  return (mode & 0o022) === 0 && uid === process.getuid?.();
};

try {
  const { enableCompileCache } = module as CachingModule;
  const folder = join(cacheFolder(process.env), 'compiled');
  if (enableCompileCache && process.env.NODE_COMPILE_CACHE === undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isPrivate(folder)) enableCompileCache(folder);
  }
} catch {
  // A start must not depend on it: for example, an account without a home folder.
}

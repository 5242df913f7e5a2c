import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk in memory with this much space left, in KiB. Undefined where it cannot be mounted. */
export const openFullDisk = (
  free: number,
): { readonly path: string; readonly close: () => void } | undefined => {
  const path = mkdtempSync(join(tmpdir(), 'rollgate-full-disk-'));
  const close = (): void => {
    // Lazily: a process that failed may still hold it.
    execFileSync('umount', ['-l', path]);
    rmSync(path, { recursive: true });
  };
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${free + 16}k`, 'tmpfs', path], {
      stdio: 'ignore',
    });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  writeFileSync(join(path, 'filler'), Buffer.alloc(16 * 1_024));
  return { path, close };
};

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataFolderInUseError, lockDataFolder } from '../../src/store/embedded/data-folder-lock.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-lock-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const STALE = [
  ['of a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startedAt: null })],
  [
    'of a process whose number another one has now',
    JSON.stringify({ pid: process.pid, startedAt: 'another boot 1' }),
  ],
  ['that was never finished', '{"pid":'],
] as const;

describe('the lock of a data folder', () => {
  it('keeps others out until it is released', async () => {
    const release = await lockDataFolder(dataDir);
    await expect(lockDataFolder(dataDir)).rejects.toThrow(DataFolderInUseError);
    await release();
    await (
      await lockDataFolder(dataDir)
    )();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.each(STALE)('%s is taken over', async (_what, content) => {
    await writeFile(join(dataDir, 'rollgate.lock'), content);
    const release = await lockDataFolder(dataDir);
    expect(await readFile(join(dataDir, 'rollgate.lock'), 'utf8')).toContain(`${process.pid}`);
    await release();
  });

  it.each(STALE)('%s goes to one of many that want it', async (_what, content) => {
    await writeFile(join(dataDir, 'rollgate.lock'), content);
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataFolder(dataDir)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(dataDir)).toEqual(['rollgate.lock']);
  });

  it('that another one has taken since is not released for him', async () => {
    const release = await lockDataFolder(dataDir);
    await writeFile(join(dataDir, 'rollgate.lock'), 'his');
    await release();
    expect(await readFile(join(dataDir, 'rollgate.lock'), 'utf8')).toBe('his');
  });
});

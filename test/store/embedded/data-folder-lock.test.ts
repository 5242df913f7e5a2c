import { cp, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHolder, lockDataFolder } from '../../../src/store/embedded/data-folder-lock.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-lock-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const LEFT_BEHIND = 'rollgate-00000000-0000-4000-8000-000000000000.lock';
const YEARS_AGO = new Date('2020-01-01');

/** A lock file as a crash leaves it. */
const leaveBehind = async (content: string): Promise<void> => {
  await writeFile(join(dataDir, LEFT_BEHIND), content);
  await utimes(join(dataDir, LEFT_BEHIND), YEARS_AGO, YEARS_AGO);
};

const STALE = [
  ['of a process that has exited', JSON.stringify({ pid: 2 ** 22 + 1, startedAt: null })],
  [
    'of a process whose id has been reused',
    JSON.stringify({ pid: process.pid, startedAt: 'another boot 1' }),
  ],
  ['that is incomplete', '{"pid":'],
] as const;

describe('the lock of a data folder', () => {
  it('is held by one process until it is released', async () => {
    const release = await lockDataFolder(dataDir);
    await expect(lockDataFolder(dataDir)).rejects.toMatchObject({ name: 'DataFolderInUseError' });
    await release();
    await (
      await lockDataFolder(dataDir)
    )();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('creates the folder if it is missing', async () => {
    const release = await lockDataFolder(join(dataDir, 'deep/er'));
    expect(await readdir(join(dataDir, 'deep/er'))).toHaveLength(1);
    await release();
  });

  it('names the process that holds it and leaves its file', async () => {
    const release = await lockDataFolder(dataDir);
    const held = await readdir(dataDir);
    await expect(lockDataFolder(dataDir)).rejects.toThrow(
      `Another Rollgate (process ${process.pid}) uses the data folder ${dataDir}.`,
    );
    expect(await readdir(dataDir)).toEqual(held);
    await release();
  });

  describe('of a folder that was copied while in use', () => {
    let original: string;
    let copy: string;
    let release: () => Promise<void>;
    beforeEach(async () => {
      [original, copy] = [join(dataDir, 'original'), join(dataDir, 'copy')];
      release = await lockDataFolder(original);
      await cp(original, copy, { recursive: true, preserveTimestamps: true });
    });
    afterEach(() => release());

    it('reports the original and what to do with the copy', async () => {
      const failure = await lockDataFolder(copy).catch((error: unknown) => error);

      expect(failure).toMatchObject({ name: 'CopiedDataFolderError' });
      expect(String(failure)).toContain(`The data folder ${copy} is a copy of ${original}`);
      expect(String(failure)).not.toMatch(/stop|process \d/i);
      expect(await findHolder(copy)).toEqual({ pid: process.pid, original });
      expect(await findHolder(original)).toEqual({ pid: process.pid });
    });

    it('can be taken once the lock file in the message is deleted', async () => {
      const failure = await lockDataFolder(copy).catch((error: unknown) => error);
      const [, file = ''] = /delete (\S+\.lock) and start again/.exec(String(failure)) ?? [];

      await rm(file);

      await (
        await lockDataFolder(copy)
      )();
    });

    it('recognises a folder that was only renamed', async () => {
      const renamed = join(dataDir, 'renamed');
      await rename(original, renamed);
      await expect(lockDataFolder(renamed)).rejects.toMatchObject({ name: 'DataFolderInUseError' });
      await rename(renamed, original);
    });
  });

  it.each(STALE)('%s is replaced', async (_what, content) => {
    await leaveBehind(content);
    const release = await lockDataFolder(dataDir);
    expect(await readdir(dataDir)).not.toContain(LEFT_BEHIND);
    await release();
  });

  it.each(STALE)('%s is replaced by one of many concurrent processes', async (_what, content) => {
    await leaveBehind(content);
    const all = await Promise.allSettled(Array.from({ length: 6 }, () => lockDataFolder(dataDir)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(dataDir)).toHaveLength(1);
  });
});

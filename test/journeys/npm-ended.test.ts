import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-npm-'));

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Starts the gateway as npm does: as a child of a process that hands no signal on. */
const startUnderNpm = async () => {
  const code = `
    require('node:child_process').spawn(process.execPath,
      ['--import', 'tsx', ${JSON.stringify(MAIN)}], { stdio: ['ignore', 'inherit', 'ignore'] });`;
  const npm = spawn(process.execPath, ['-e', code], {
    // Of a group of its own, as a shell's jobs are.
    detached: true,
    env: {
      ...process.env,
      npm_lifecycle_event: 'start',
      ROLLGATE_PORT: '0',
      ROLLGATE_DATA_DIR: dataDir,
      ROLLGATE_MONGODB_URI: uri,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let written = '';
  const url = await new Promise<string>((resolve) => {
    npm.stdout.on('data', (bytes: Buffer) => {
      written += bytes.toString();
      const [, found] = /"url":"([^"]+)"/.exec(written) ?? [];
      if (found) resolve(found);
    });
  });
  return { npm, url, log: () => written };
};

const isServing = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('a gateway that npm started', () => {
  it('ends with npm, also when npm alone is ended and says nothing', async () => {
    const { npm, url } = await startUnderNpm();
    expect(await isServing(url)).toBe(true);
    npm.kill('SIGKILL');
    await once(npm, 'exit');
    await vi.waitFor(async () => expect(await isServing(url)).toBe(false), 15_000);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'finishes what is under way where both are told at once, by %s',
    async (signal) => {
      const { npm, log } = await startUnderNpm();
      // The pipe closes when the last who could write to it has gone.
      const everybodyEnded = once(npm.stdout, 'close');
      process.kill(-(npm.pid ?? 0), signal);
      await everybodyEnded;
      expect(log()).toContain('"msg":"stopped"');
    },
  );
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

const { uri } = createTestDatabase();
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-npm-'));

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Starts the gateway as npm does: as a child of a process that forwards no signals. */
const startUnderNpm = async () => {
  const code = `
    require('node:child_process').spawn(process.execPath,
      ['--import', 'tsx', ${JSON.stringify(MAIN)}], { stdio: ['ignore', 'inherit', 'ignore'] });`;
  const npm = spawn(process.execPath, ['-e', code], {
    // In its own process group, like a job of a shell.
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
  let output = '';
  const url = await new Promise<string>((resolve) => {
    npm.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      const [, found] = /"url":"([^"]+)"/.exec(output) ?? [];
      if (found) resolve(found);
    });
  });
  return { npm, url, log: () => output };
};

const isServing = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('a gateway that npm started', () => {
  it('stops when npm is killed without forwarding a signal', async () => {
    const { npm, url } = await startUnderNpm();
    expect(await isServing(url)).toBe(true);
    npm.kill('SIGKILL');
    await once(npm, 'exit');
    await eventually(async () => expect(await isServing(url)).toBe(false));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stops gracefully when both get %s', async (signal) => {
    const { npm, log } = await startUnderNpm();
    // The pipe closes when both processes have exited.
    const bothExited = once(npm.stdout, 'close');
    process.kill(-(npm.pid ?? 0), signal);
    await bothExited;
    expect(log()).toContain('"msg":"stopped"');
  });
});

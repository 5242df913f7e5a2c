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
let dataDir = '';

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Starts the gateway as npm does: as a child of a process that hands no signal on. */
const startUnderNpm = async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-npm-'));
  const code = `
    const child = require('node:child_process').spawn(process.execPath,
      ['--import', 'tsx', ${JSON.stringify(MAIN)}], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.pipe(process.stdout);`;
  const npm = spawn(process.execPath, ['-e', code], {
    env: {
      ...process.env,
      npm_lifecycle_event: 'start',
      ROLLGATE_PORT: '0',
      ROLLGATE_DATA_DIR: dataDir,
      ROLLGATE_MONGODB_URI: uri,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = await new Promise<string>((resolve) => {
    npm.stdout.on('data', (bytes: Buffer) => {
      const [, found] = /"url":"([^"]+)"/.exec(bytes.toString()) ?? [];
      if (found) resolve(found);
    });
  });
  return { npm, url };
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
});

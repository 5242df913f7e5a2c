import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ADMIN_TOKEN, createClient } from '../support/gateway.js';

const { uri } = createTestDatabase();
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-npm-'));

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Starts the gateway as npm does: as a child of a process that forwards no signals. */
const startUnderNpm = async (cwd = process.cwd()) => {
  const code = `
    require('node:child_process').spawn(process.execPath,
      ['--import', ${JSON.stringify(import.meta.resolve('tsx'))}, ${JSON.stringify(MAIN)}],
      { stdio: ['ignore', 'inherit', 'ignore'] }).once('spawn', function () {
        console.log('{"gateway":' + this.pid + '}');
      });`;
  const npm = spawn(process.execPath, ['-e', code], {
    // In its own process group, like a job of a shell.
    detached: true,
    cwd,
    env: {
      ...process.env,
      npm_lifecycle_event: 'start',
      ROLLGATE_PORT: '0',
      ROLLGATE_DATA_DIR: dataDir,
      ROLLGATE_MONGODB_URI: uri,
      ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
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
  const gatewayPid = (): number => Number(/"gateway":(\d+)/.exec(output)?.[1]);
  return { npm, url, log: () => output, gatewayPid };
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

  it('is not ended by SIGHUP or SIGUSR2', async () => {
    const { npm, log, gatewayPid } = await startUnderNpm();
    for (const signal of ['SIGHUP', 'SIGUSR2'] as const) {
      process.kill(gatewayPid(), signal);
      await eventually(() => expect(log()).toContain(`${signal} ignored`));
    }
    const ended = once(npm.stdout, 'close');
    npm.kill('SIGKILL');
    await ended;
    expect(log()).toContain('"msg":"stopped"');
  });

  it('hands back the runs of connectors, which continue after the start', async () => {
    await mkdir(join(dataDir, 'config'));
    await writeFile(
      join(dataDir, 'config/rollgate.yaml'),
      'connectors:\n  hr: { use: ../slow.mjs, tenant: acme }\n',
    );
    await writeFile(join(dataDir, 'slow.mjs'), SLOW_CONNECTOR);
    const first = await startUnderNpm(dataDir);
    const operator = (url: string) => createClient(`${url}/admin/v1`, ADMIN_TOKEN);
    await operator(first.url)('POST', '/tenants', { slug: 'acme', name: 'Acme' });
    const { body: started } = await operator(first.url)<{ id: string }>(
      'POST',
      '/tenants/acme/connectors/hr/runs',
      { mode: 'full' },
    );
    const stateOf = async (url: string) =>
      (
        await operator(url)<{ state: string }>(
          'GET',
          `/tenants/acme/connectors/hr/runs/${started.id}`,
        )
      ).body.state;
    await eventually(() => expect(existsSync(join(dataDir, 'reads'))).toBe(true));

    const bothExited = once(first.npm.stdout, 'close');
    process.kill(-(first.npm.pid ?? 0), 'SIGINT');
    await bothExited;
    await writeFile(join(dataDir, 'go'), '');
    const second = await startUnderNpm(dataDir);
    await eventually(async () => expect(await stateOf(second.url)).toBe('done'));
    second.npm.kill('SIGKILL');
  });
});

/** A source whose response takes until a file exists. */
const SLOW_CONNECTOR = `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
export default ({ defineConnector, z }) =>
  defineConnector({
    apiVersion: 1,
    name: 'slow',
    title: 'Slow',
    description: 'A source that takes its time.',
    triedAgainst: 'server',
    settings: z.strictObject({}),
    record: z.object({ email: z.string() }),
    mapping: { userName: 'email' },
    start: () => ({
      check: async () => ({ ok: true, message: 'It is there.' }),
      async *read({ signal }) {
        writeFileSync('reads', '');
        while (!existsSync('go')) await setTimeout(10, undefined, { signal });
        yield { type: 'record', id: 'p1', data: { email: 'ada@example.com' } };
        yield { type: 'complete', cursor: null, total: 1 };
      },
    }),
  });
`;

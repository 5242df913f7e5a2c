import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type NonReapingInit, startNonReapingInit } from '../support/idle-init.js';
import { eventually } from '../support/eventually.js';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-unreaped-'));
const ADMIN_TOKEN = 'unreaped-0123456789abcdef0123456789abcdef';

const settings = {
  ROLLGATE_PORT: '0',
  ROLLGATE_DATA_DIR: dataDir,
  ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
};
let output = '';
const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('ROLLGATE_'));
const init: NonReapingInit = startNonReapingInit(
  { ...Object.fromEntries(environment), ...settings },
  (text) => (output += text),
);
const groups: number[] = [];

const killGroup = (pid: number): void => void process.kill(-pid, 'SIGKILL');
/** The live child processes. */
const childrenOf = async (parent: number): Promise<readonly number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.flatMap((stat) => {
    const [, pid, state, ppid] = /^(\d+) \(.*\) (\S) (\d+)/s.exec(stat) ?? [];
    return Number(ppid) === parent && state !== 'Z' ? [Number(pid)] : [];
  });
};

const stateOf = async (pid: number): Promise<string> =>
  / \(.*\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
const mongodPid = async (): Promise<number> =>
  Number(await readFile(join(dataDir, 'db/mongod.lock'), 'utf8'));

afterAll(async () => {
  const last = groups.at(-1);
  if (last !== undefined) {
    const mongod = await mongodPid();
    for (const pid of [last, mongod]) killGroup(pid);
  }
  await init.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts a gateway in its own process group. */
const start = async (): Promise<{ readonly url: string; readonly pid: number }> => {
  output = '';
  const pid = await init.start([process.execPath, '--import', 'tsx', MAIN]);
  groups.push(pid);
  await vi.waitFor(() => expect(output).toMatch(/ready at|did not start/), 120_000);
  const [, url] = /ready at (\S+)/.exec(output) ?? [];
  if (url === undefined) throw new Error(output);
  return { url, pid };
};

const send = async (
  url: string,
  method: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  const response = await fetch(`${url}/admin/v1/tenants`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, unknown>;
};

const ROUNDS = [1, 2, 3, 4, 5];

describe.runIf(process.platform === 'linux')('in a container that does not reap orphans', () => {
  it('the gateway starts again after each of five kills of its process group', async () => {
    for (const round of ROUNDS) {
      const { url, pid } = await start();
      await send(url, 'POST', { slug: `round-${round}`, name: 'A round' });
      const mongod = await mongodPid();

      killGroup(pid);
      // Every second time also kills mongod, which has its own process group.
      if (round % 2 === 0) killGroup(mongod);

      await eventually(async () => expect(await stateOf(pid)).toBe('Z'));
    }
    const { url, pid } = await start();
    await eventually(async () => expect(await childrenOf(init.pid)).toEqual([pid]));
    const { tenants } = await send(url, 'GET');
    expect((tenants as { slug: string }[]).map(({ slug }) => slug).sort()).toEqual(
      ROUNDS.map((round) => `round-${round}`),
    );
  }, 600_000);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import got from 'got';
import { SCOPES } from '../../src/domain/scopes.js';
import { ownDatabase } from '../crash/own-database.js';
import { runScript } from '../crash/run-script.js';
import { type Cleanup } from '../../tooling/cleanup.js';
import { collectWords } from '../demo/collect-words.js';
import { startProbe } from '../large-group/probe.js';
import { ATTACKS, type Attack } from './attacks.js';

const HELP = `npm run body-flood [-- options]

Sends the built gateway, on a heap of 1 GB, bodies that are made to exhaust it, and reports for each
attack the responses, the longest event-loop delay, the peak of resident memory, and how long
another tenant's requests took meanwhile. Build first: npm run build.

  --main PATH   the gateway to attack (dist/src/main.js)
  --only TEXT   only attacks whose name contains this
`;

const { values } = parseArgs({
  options: {
    main: { type: 'string', default: 'dist/src/main.js' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const ADMIN_TOKEN = 'an-operators-token-for-floods';
const HEAP_MB = 1_024;
const START_MS = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Gateway {
  readonly url: string;
  readonly child: ChildProcess;
}

const startGateway = async (uri: string, { defer }: Cleanup): Promise<Gateway> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-flood-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, resolve(values.main)], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ROLLGATE_PORT: '0',
      ROLLGATE_DATA_DIR: folder,
      ROLLGATE_MONGODB_URI: uri,
      ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      ROLLGATE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ROLLGATE_LOG_LEVEL: 'warn',
      ROLLGATE_RATE_LIMIT: '1000000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const words = collectWords(child);
  const deadline = Date.now() + START_MS;
  for (;;) {
    const [, url] = /ready at (\S+)/.exec(words()) ?? [];
    if (url !== undefined) return { url, child };
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(words());
    await pause(50);
  }
};

interface Tenant {
  readonly slug: string;
  readonly key: string;
}

const makeTenant = async (url: string, slug: string): Promise<Tenant> => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const tenants = `${url}/admin/v1/tenants`;
  await got.post(tenants, { json: { slug, name: slug }, headers });
  const json = { description: 'flood', scopes: SCOPES };
  const { key } = await got
    .post(`${tenants}/${slug}/api-keys`, { json, headers })
    .json<{ readonly key: string }>();
  return { slug, key };
};

/** Sends one body, all of it or up to where it stalls; answers with the status or what went wrong. */
const send = (url: string, { slug, key }: Tenant, attack: Attack, agent: Agent) => {
  const { method, path, body, stallAt } = attack;
  const sent: ClientRequest = request(`${url}/v1/${slug}/scim/v2${path}`, {
    agent,
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/scim+json',
      'content-length': body.length,
    },
  });
  const answer = new Promise<string>((answered) => {
    sent.on('response', (response) => {
      response.resume();
      response.on('close', () => answered(String(response.statusCode)));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => answered(error.code ?? error.message));
  });
  if (stallAt === undefined) sent.end(body);
  else sent.write(body.subarray(0, stallAt));
  return { answer, sent };
};

const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024);
};

/** The longest event-loop delay since this was last asked, in milliseconds. */
const lagOf = async (url: string): Promise<number> => {
  const metrics = await got(`${url}/metrics`, { retry: { limit: 0 } }).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics) ?? [];
  return Math.round(Number(seconds) * 1_000);
};

const tally = (answers: readonly string[]): string =>
  [...new Set(answers)]
    .sort()
    .map((one) => `${answers.filter((other) => other === one).length}×${one}`)
    .join(' ');

const STALL_MS = 5_000;

const run = async (attack: Attack, uri: string, cleanUp: Cleanup): Promise<void> => {
  const { url, child } = await startGateway(uri, cleanUp);
  const pid = child.pid ?? 0;
  const run = Date.now().toString(36);
  const attacker = await makeTenant(url, `attacker-${run}`);
  const other = await makeTenant(url, `other-${run}`);
  const agent = new Agent({ maxSockets: Infinity });
  const ask = async (): Promise<unknown> =>
    got(`${url}/v1/${other.slug}/me`, {
      headers: { authorization: `Bearer ${other.key}` },
      retry: { limit: 0 },
    });
  await ask();
  const before = await peakOf(pid);
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
  await lagOf(url);
  const probe = startProbe([ask], 10);
  const sent = Array.from({ length: attack.parallel }, () => send(url, attacker, attack, agent));
  if (attack.stallAt !== undefined) {
    await pause(STALL_MS);
    for (const each of sent) each.sent.destroy();
  }
  const answers = await Promise.all(sent.map(({ answer }) => answer));
  await probe.stop();
  const peak = await peakOf(pid);
  const lag = await lagOf(url).catch(() => Number.NaN);
  const isDead = child.exitCode !== null || child.signalCode !== null;
  const { requests, p99, most } = probe.take();
  say(
    `${attack.name.padEnd(58)} ${tally(answers).padEnd(24)} lag ${String(lag).padStart(5)} ms  ` +
      `RSS ${before} → ${peak} MB  others ${requests}, p99 ${p99.toFixed(0)}, most ${most.toFixed(0)} ms` +
      (isDead ? `  DIED (${child.exitCode ?? child.signalCode})` : ''),
  );
  child.kill('SIGKILL');
};

const all = async (cleanUp: Cleanup): Promise<number> => {
  const uri = await ownDatabase(say, cleanUp);
  for (const attack of ATTACKS.filter(({ name }) => name.includes(values.only)))
    await run(attack, uri, cleanUp);
  return 0;
};

if (values.help) say(HELP);
else process.exitCode = await runScript(all);

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import got, { type Method } from 'got';
import { ownDatabase } from '../crash/own-database.js';
import { runScript } from '../crash/run-script.js';
import { openScene } from '../crash/scene.js';
import type { CleanUp } from '../demo/clean-up.js';
import { startProbe, type Waits } from '../large-group/probe.js';

const HELP = `npm run sms-lists [-- options]

Measures an SMS list of many members against one of 1,000, in turns: adding and removing 1,000
numbers, pages of members and of recipients. Then the large list is replaced by half of it and
deleted, while another organisation asks for its own things.

  --members N   members of the large list (100000)
  --rounds N    rounds, of which the medians are told (15)
`;

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '15' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SMALL = 1_000;
const CHUNK = 1_000;
/** What a list may cost more than one of 1,000 members (docs/sms-lists.md). */
const MOST = 1.5;
/** Of this many members one has a window that has ended, and one another that has not begun. */
const WINDOWED = 100;

const numberOf = (at: number): string => `+4915${String(at).padStart(9, '0')}`;

const memberOf = (at: number): object => ({
  phone_number: numberOf(at),
  ...(at % WINDOWED === 0 && { valid_until: '2026-01-01T00:00:00Z' }),
  ...(at % WINDOWED === 1 && { valid_from: '2099-01-01T00:00:00Z' }),
});

const membersFrom = (from: number, to: number): readonly object[] =>
  Array.from({ length: to - from }, (_, at) => memberOf(from + at));

type Ask = (method: Method, path: string, body?: object) => Promise<{ body: unknown; ms: number }>;

/** Answers of 2xx alone, and how long they took. */
const clientOf =
  (base: string, key: string): Ask =>
  async (method, path, body) => {
    const began = performance.now();
    const { body: text } = await got(base + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      retry: { limit: 0 },
      timeout: { request: 120_000 },
      ...(body && { json: body }),
    });
    return { body: text === '' ? null : JSON.parse(text), ms: performance.now() - began };
  };

const makeList = async (ask: Ask, size: number): Promise<string> => {
  const { body } = await ask('POST', '/sms-lists', { name: `of ${size}` });
  const path = `/sms-lists/${(body as { readonly id: string }).id}`;
  for (let from = 0; from < size; from += CHUNK)
    await ask('POST', `${path}/members`, {
      members: membersFrom(from, Math.min(size, from + CHUNK)),
    });
  return path;
};

interface Work {
  readonly name: string;
  readonly run: (ask: Ask, path: string, size: number) => Promise<number>;
}

const reading = (name: string, query: (size: number) => string): Work => ({
  name,
  run: async (ask, path, size) => (await ask('GET', path + query(size))).ms,
});

const page = (size: number): string => `limit=100&offset=${size / 2}`;

/** Each leaves the list as it was. */
const WORKS: readonly Work[] = [
  {
    name: 'add 1,000',
    run: async (ask, path, size) =>
      (await ask('POST', `${path}/members`, { members: membersFrom(size, size + CHUNK) })).ms,
  },
  {
    name: 'remove 1,000',
    run: async (ask, path, size) => {
      const numbers = Array.from({ length: CHUNK }, (_, at) => numberOf(size + at));
      return (await ask('POST', `${path}/members/remove`, { phone_numbers: numbers })).ms;
    },
  },
  reading('members, first page', () => '/members?limit=100'),
  reading('members, page in the middle', (size) => `/members?${page(size)}`),
  reading('recipients, first page', () => '/recipients?limit=100'),
  reading('recipients, page in the middle', (size) => `/recipients?${page(size)}`),
];

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;

const compare = async (
  ask: Ask,
  lists: readonly (readonly [string, number])[],
): Promise<number> => {
  let over = 0;
  say(
    `\n  ${'median ms'.padEnd(36)} ${lists.map(([, size]) => String(size).padStart(9)).join('')}    ratio`,
  );
  const times = WORKS.map(() => lists.map((): number[] => []));
  for (let round = 0; round < Number(values.rounds) + 2; round += 1)
    for (const [work, { run }] of WORKS.entries())
      for (const [list, [path, size]] of lists.entries()) {
        const ms = await run(ask, path, size);
        // The first rounds warm up.
        if (round > 1) times[work]?.[list]?.push(ms);
      }
  for (const [work, { name }] of WORKS.entries()) {
    const [small = 0, large = 0] = (times[work] ?? []).map(median);
    const ratio = large / small;
    if (ratio > MOST) over += 1;
    say(
      `  ${name.padEnd(36)} ${small.toFixed(1).padStart(9)}${large.toFixed(1).padStart(9)} ` +
        `${ratio.toFixed(2).padStart(8)} ${ratio > MOST ? '✘' : '✔'}`,
    );
  }
  return over;
};

const inWords = ({ requests, p50, p99, most }: Waits): string =>
  `${requests} requests, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`;

const untilCounted = async (ask: Ask, path: string, count: number): Promise<void> => {
  for (;;) {
    const { body } = await ask('GET', path);
    if ((body as { readonly member_count: number }).member_count === count) return;
    await pause(200);
  }
};

const run = async (cleanUp: CleanUp): Promise<number> => {
  const size = Number(values.members);
  const uri = await ownDatabase(say, cleanUp);
  const scene = await openScene(uri, cleanUp);
  const { url } = await scene.start();
  const clientFor = async (slug: string): Promise<Ask> =>
    clientOf(`${url}/v1/${slug}`, (await scene.makeSilentTenant(url, slug)).key);
  const [ask, beside] = [await clientFor('large'), await clientFor('other')];
  say(`Making lists of ${SMALL} and ${size} numbers …`);
  const [small, large] = [await makeList(ask, SMALL), await makeList(ask, size)];
  const over = await compare(ask, [
    [small, SMALL],
    [large, size],
  ]);

  const probe = startProbe(async () => {
    await beside('POST', '/users', { email: `${Date.now()}-${Math.random()}@example.com` });
    await beside('GET', '/users?limit=10');
  }, 20);
  cleanUp.defer(probe.stop);
  await pause(5_000);
  say(`\n  others, in quiet: ${inWords(probe.take())}`);
  const half = Math.floor(size / 2);
  const put = await ask('PUT', `${large}/members`, { members: membersFrom(half, size) });
  say(
    `  PUT to half answered after ${(put.ms / 1_000).toFixed(1)} s; others: ${inWords(probe.take())}`,
  );
  const began = performance.now();
  await untilCounted(ask, large, size - half);
  say(
    `  … carried out after ${((performance.now() - began) / 1_000).toFixed(1)} s; others: ${inWords(probe.take())}`,
  );
  const gone = await ask('DELETE', large);
  say(`  DELETE answered after ${gone.ms.toFixed(0)} ms`);
  await probe.stop();
  return over === 0 ? 0 : 1;
};

if (values.help) say(HELP);
else process.exitCode = await runScript(run);

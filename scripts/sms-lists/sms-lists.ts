import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ownDatabase } from '../crash/own-database.js';
import { runScript } from '../crash/run-script.js';
import { openScene } from '../crash/scene.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { startProbe, type Waits } from '../large-group/probe.js';
import { type Ask, CHUNK, clientOf, makeList, membersFrom, numberOf } from './list-client.js';
import { runSmsCrash } from './run-sms-crash.js';

const HELP = `npm run sms-lists [-- options]

Measures an SMS list of many members against one of 1,000, in turns: adding and removing 1,000
numbers, pages of members and of recipients. Then the large list is replaced by half of it and
deleted, while another organisation asks for its own things.

  --members N   members of the large list (100000)
  --rounds N    rounds, of which the medians are told (15)
  --kill        measures nothing: the list is put to another half and deleted while the gateway is
                killed in the middle of the PUT, of what is left of it, and of the DELETE
  --seed N      gives the same moments again
`;

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '15' },
    kill: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SMALL = 1_000;
/** What a list may cost more than one of 1,000 members (docs/sms-lists.md). */
const MOST = 1.5;
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

const crash = async (cleanUp: Cleanup): Promise<number> => {
  const [seed, members] = [Number(values.seed), Number(values.members)];
  say(`Seed ${seed}`);
  const mongodbUri = await ownDatabase(say, cleanUp);
  const report = await runSmsCrash({ mongodbUri, members, seed, told: say }, cleanUp);
  say(`  ${report.events} events, ${report.repeats} deliveries again under their id`);
  for (const problem of report.problems.slice(0, 20)) say(`  ✘ ${problem}`);
  if (report.problems.length > 0) return 1;
  say('  ✔ Every number came and went once, and no event came under two ids.');
  return 0;
};

const run = async (cleanUp: Cleanup): Promise<number> => {
  const size = Number(values.members);
  const uri = await ownDatabase(say, cleanUp);
  const scene = await openScene(uri, cleanUp);
  const { url } = await scene.start();
  const clientFor = async (slug: string): Promise<Ask> =>
    clientOf(() => `${url}/v1/${slug}`, (await scene.makeSilentTenant(url, slug)).key);
  const [ask, beside] = [await clientFor('large'), await clientFor('other')];
  say(`Making lists of ${SMALL} and ${size} numbers …`);
  const [small, large] = [await makeList(ask, SMALL), await makeList(ask, size)];
  const over = await compare(ask, [
    [small, SMALL],
    [large, size],
  ]);

  const newcomer = () => ({ email: `${randomUUID()}@example.com` });
  const probe = startProbe(
    [() => beside('POST', '/users', newcomer()), () => beside('GET', '/users?limit=10')],
    20,
  );
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
else process.exitCode = await runScript(values.kill ? crash : run);

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../shared/api-client.js';
import { type Context, tenantClient } from '../shared/faults/context.js';
import { seconds } from '../shared/faults/fault-loop.js';
import { formatProbed, startProbe } from '../shared/faults/probe.js';
import {
  type Run,
  defineScenario,
  flag,
  MONGODB,
  number,
  openRunContext,
  SEED,
  seededRandom,
} from '../shared/faults/scenario.js';
import { median } from '../shared/statistics.js';
import { waitUntil } from '../shared/wait-until.js';
import { CHUNK, createList, phoneNumber, windowedMembersFrom } from './sms-list-client.js';
import { killDuringSmsJobs } from './kill-during-sms-jobs.js';

const SMALL = 1_000;
/** The limit in docs/sms-lists.md. */
const MAX_RATIO = 1.5;
const WARM_UP_ROUNDS = 2;
const IDLE_MS = 5_000;

interface List {
  readonly path: string;
  readonly size: number;
}

interface Operation {
  readonly name: string;
  /** The time that it took, in milliseconds. */
  readonly run: (client: ApiClient, list: List) => Promise<number>;
}

const read = (name: string, query: (size: number) => string): Operation => ({
  name,
  run: async (client, { path, size }) =>
    (await client.expect(200, 'GET', `${path}${query(size)}`)).ms,
});

const middle = (size: number): string => `limit=100&offset=${size / 2}`;

/** A round of all of them leaves the list as it was. */
const OPERATIONS: readonly Operation[] = [
  {
    name: 'add 1,000',
    run: async (client, { path, size }) => {
      const members = windowedMembersFrom(size, size + CHUNK);
      return (await client.expect(200, 'POST', `${path}/members`, { members })).ms;
    },
  },
  {
    name: 'remove 1,000',
    run: async (client, { path, size }) => {
      const phone_numbers = Array.from({ length: CHUNK }, (_, at) => phoneNumber(size + at));
      return (await client.expect(200, 'POST', `${path}/members/remove`, { phone_numbers })).ms;
    },
  },
  read('members, first page', () => '/members?limit=100'),
  read('members, page in the middle', (size) => `/members?${middle(size)}`),
  read('recipients, first page', () => '/recipients?limit=100'),
  read('recipients, page in the middle', (size) => `/recipients?${middle(size)}`),
];

/** Runs each operation on both lists in turns; returns the operations whose ratio is too high. */
const compare = async (
  client: ApiClient,
  lists: readonly List[],
  rounds: number,
  report: Run['report'],
): Promise<readonly string[]> => {
  const times = OPERATIONS.map(() => lists.map((): number[] => []));
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round += 1)
    for (const [index, operation] of OPERATIONS.entries())
      for (const [which, list] of lists.entries()) {
        const ms = await operation.run(client, list);
        if (round >= WARM_UP_ROUNDS) times[index]?.[which]?.push(ms);
      }
  const sizes = lists.map(({ size }) => String(size).padStart(9)).join('');
  report(`\n  ${'median ms'.padEnd(36)} ${sizes}    ratio`);
  return OPERATIONS.flatMap(({ name }, index) => {
    const medians = (times[index] ?? []).map(median);
    const [small = NaN, large = NaN] = medians;
    const ratio = large / small;
    const columns = medians.map((ms) => ms.toFixed(1).padStart(9)).join('');
    report(`  ${name.padEnd(36)} ${columns} ${ratio.toFixed(2).padStart(8)}`);
    return ratio <= MAX_RATIO ? [] : [`${name}: ${ratio.toFixed(2)} times the small list's time`];
  });
};

const untilCounted = (client: ApiClient, path: string, count: number): Promise<void> =>
  waitUntil(
    async () => {
      const list = await client.expect(200, 'GET', path);
      return (list.json() as { readonly member_count: number }).member_count === count;
    },
    () => `The list does not have ${count} members after ten minutes.`,
    { pollMs: 200, timeoutMs: 600_000 },
  );

/**
 * Compares a large list with a small one; then replaces it by half of it and deletes it, while
 * another tenant sends requests.
 */
const measureSmsLists = async (
  context: Context,
  { members: size, rounds }: { readonly members: number; readonly rounds: number },
  { cleanup, report }: Run,
) => {
  const { url } = await context.startGateway();
  const tenants = [
    await context.createTenant(url, 'large'),
    await context.createTenant(url, 'other'),
  ];
  const [client, other] = tenants.map((tenant) => tenantClient(() => url, tenant)) as [
    ApiClient,
    ApiClient,
  ];
  report(`Creating lists of ${SMALL} and ${size} numbers …`);
  const small = await createList(client, SMALL, windowedMembersFrom);
  const large = await createList(client, size, windowedMembersFrom);
  const lists = [
    { path: small, size: SMALL },
    { path: large, size },
  ];
  const problems = await compare(client, lists, rounds, report);

  const probe = startProbe(
    [
      () => other.expect(201, 'POST', '/users', { email: `${randomUUID()}@example.com` }),
      () => other.expect(200, 'GET', '/users?limit=10'),
    ],
    { pauseMs: 20 },
  );
  cleanup.defer(probe.stop);
  const others = (): string => `others: ${formatProbed(probe.take())}`;
  await sleep(IDLE_MS);
  report(`\n  idle; ${others()}`);
  const half = Math.floor(size / 2);
  const put = await client.expect(200, 'PUT', `${large}/members`, {
    members: windowedMembersFrom(half, size),
  });
  report(`  PUT of half: response after ${seconds(put.ms)}; ${others()}`);
  const began = performance.now();
  await untilCounted(client, large, size - half);
  report(`  … applied ${seconds(performance.now() - began)} later; ${others()}`);
  const { ms } = await client.expect(204, 'DELETE', large);
  report(`  DELETE: response after ${ms.toFixed(0)} ms; ${others()}`);
  await probe.stop();
  return { problems, events: 0 };
};

export const smsLists = defineScenario({
  name: 'sms-lists',
  summary: `Compares a large SMS list with one of 1,000 members: adding and removing 1,000 numbers, pages of
members and of recipients. Then replaces the large list by half of it and deletes it, while another
tenant sends requests. Exit code 1 if the large list takes more than 1.5 times as long, or with
--kill, if a member or an event is missing or duplicated.`,
  options: {
    members: number(100_000, 'members of the large list'),
    rounds: number(15, 'measured rounds, of which the medians are compared'),
    kill: flag('kill -9 the gateway during the PUT, its job and the DELETE, instead of measuring'),
    seed: SEED,
    mongodb: MONGODB,
  },
  success: 'Passed.',
  run: async (options, run) => {
    const context = await openRunContext(options.mongodb, run);
    if (!options.kill) return measureSmsLists(context, options, run);
    run.report(`Seed ${options.seed}`);
    const random = seededRandom(options.seed);
    return killDuringSmsJobs(context, { members: options.members, random }, run);
  },
});

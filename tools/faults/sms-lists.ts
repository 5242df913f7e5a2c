import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, ApiResponse } from '../shared/api-client.js';
import { type Context, replaceGateway, tenantClient } from '../shared/faults/context.js';
import { deliveryIdOf, unless } from '../shared/faults/find-problems.js';
import {
  defineScenario,
  JSON_FILE,
  MONGODB,
  number,
  openRunContext,
  SEED,
  seededRandom,
} from '../shared/faults/scenario.js';
import { openDatabase } from '../shared/start-database.js';
import { waitUntil } from '../shared/wait-until.js';

/** The largest number of members in one request. */
const CHUNK = 1_000;
const TIMEOUT_MS = 120_000;
const JOB = { pollMs: 20, timeoutMs: TIMEOUT_MS };
/** The first kill comes at a random time after the PUT, often before its response. */
const MAX_KILL_DELAY_MS = 1_500;

const phoneNumber = (at: number): string => `+4915${String(at).padStart(9, '0')}`;

const numbersFrom = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, at) => phoneNumber(from + at));

const membersFrom = (from: number, to: number) => ({
  members: numbersFrom(from, to).map((phone_number) => ({ phone_number })),
});

/** Repeats a request that a kill interrupts. */
const untilResponse = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
};

/** All members, in pages. */
const readNumbers = async (client: ApiClient, path: string): Promise<readonly string[]> => {
  const numbers: string[] = [];
  for (;;) {
    const query = `limit=100&offset=${numbers.length}`;
    const page = await client.expect(200, 'GET', `${path}/members?${query}`);
    const { members } = page.json() as { readonly members: readonly { phone_number: string }[] };
    if (members.length === 0) return numbers;
    numbers.push(...members.map(({ phone_number }) => phone_number));
  }
};

interface StoredEvent {
  readonly seq: number;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface StoredJob {
  readonly done: number;
  readonly total: number;
}

/** What the database says of one tenant. */
const watchTenant = (database: ReturnType<typeof openDatabase>, tenant: string) => {
  const find = <Of>(name: string, more: object = {}) =>
    database.collection(name).find<Of & object>({ tenant, ...more });
  const openJobs = () => find<StoredJob>('jobs', { finishedAt: null }).toArray();
  const wait = (condition: () => Promise<boolean>): Promise<void> =>
    waitUntil(condition, () => 'A job did not finish in time.', JOB);
  return {
    count: (name: string) => database.collection(name).countDocuments({ tenant }),
    events: () => find<StoredEvent>('events').sort({ seq: 1 }).toArray(),
    jobsFinished: () => wait(async () => (await openJobs()).length === 0),
    /** Resolves when the job that a request started is more than half done, or the request is. */
    jobHalfway: (request: Promise<unknown>): Promise<void> => {
      let isSettled = false;
      void request.catch(() => undefined).then(() => (isSettled = true));
      return wait(async () => {
        const jobs = await openJobs();
        return isSettled || (jobs.length > 0 && jobs.every(({ done, total }) => done > total / 2));
      });
    },
  };
};

type TenantState = ReturnType<typeof watchTenant>;

/** The list was created, filled, replaced by its other half and deleted, each once. */
const expectedEvents = (members: number, half: number): readonly string[] => [
  'sms_list.created  ',
  ...Array.from(
    { length: Math.ceil(members / CHUNK) },
    (_, at) => `sms_list.members_added ${Math.min(CHUNK, members - at * CHUNK)} `,
  ),
  `sms_list.members_added ${half} `,
  `sms_list.members_removed  ${half}`,
  'sms_list.deleted  ',
];

/** The list must contain these numbers, each once, in any order. */
const listProblems = async (
  api: ApiClient,
  path: string,
  state: TenantState,
  expected: readonly string[],
): Promise<readonly string[]> => {
  const numbers = await readNumbers(api, path);
  const list = await api.expect(200, 'GET', path);
  const { member_count: counted } = list.json() as { readonly member_count: number };
  const stored = await state.count('sms_members');
  const parts = await state.count('sms_job_parts');
  const isComplete = [...numbers].sort().join() === expected.join();
  return [
    ...unless(isComplete, `the list has ${numbers.length} members, not the expected ones`),
    ...unless(counted === expected.length, `member_count is ${counted}`),
    ...unless(stored === expected.length, `${stored} members are stored`),
    ...unless(parts === 0, `${parts} parts of a job are left`),
  ];
};

/** Every event must be stored once, in order, and arrive under one id. */
const eventProblems = async (
  { receiver }: Context,
  state: TenantState,
  events: readonly StoredEvent[],
  expected: readonly string[],
): Promise<readonly string[]> => {
  const names = events.map(({ name, data }) => [name, data['added'], data['removed']].join(' '));
  const deliveries = new Map<string, Set<string>>();
  const isDelivered = (): boolean => {
    for (const request of receiver.requests) {
      const { id } = request.json as { readonly id: string };
      deliveries.set(id, (deliveries.get(id) ?? new Set()).add(deliveryIdOf(request)));
    }
    return deliveries.size >= events.length;
  };
  const missing = () => `${deliveries.size} of ${events.length} events were delivered`;
  await waitUntil(isDelivered, missing, { pollMs: 100, timeoutMs: TIMEOUT_MS });
  const twice = [...deliveries.values()].filter((ids) => ids.size > 1).length;
  const hasGap = events.some(({ seq }, at) => seq !== at + 1);
  const left = await state.count('sms_members');
  return [
    ...unless(!hasGap, 'the event log has a gap'),
    ...unless(names.join() === expected.join(), `unexpected events: ${names.join(', ')}`),
    ...unless(twice === 0, `${twice} events were delivered under two ids`),
    ...unless(left === 0, `${left} members are left`),
  ];
};

export const smsLists = defineScenario({
  name: 'sms-lists',
  summary: `A large SMS list is replaced by another half and deleted while the gateway is killed (kill -9): during
the PUT, its job and the DELETE's job. Exit code 1 if a member or an event is missing or duplicated.`,
  options: {
    members: number(100_000, 'members of the list'),
    seed: SEED,
    mongodb: MONGODB,
    json: JSON_FILE,
  },
  success: 'No member and no event is missing or duplicated.',
  run: async ({ members, seed, mongodb }, run) => {
    const { report, cleanup } = run;
    const random = seededRandom(seed);
    const context = await openRunContext(mongodb, run);
    const gateways = [await context.startGateway()];
    const gateway = () => gateways[0]?.url ?? '';
    const tenant = await context.createTenant(gateway(), 'numbers');
    await context.subscribe(gateway(), tenant);
    const api = tenantClient(gateway, tenant);
    const state = watchTenant(openDatabase(context.mongodbUri, cleanup), tenant.id);

    report(`Seed ${seed}: creating a list of ${members} numbers …`);
    const path = `/sms-lists/${await api.create('/sms-lists', { name: 'large' })}`;
    for (let from = 0; from < members; from += CHUNK) {
      const chunk = membersFrom(from, Math.min(members, from + CHUNK));
      await api.expect(200, 'POST', `${path}/members`, chunk);
    }
    const half = Math.floor(members / 2);
    const put = () => api.expect(200, 'PUT', `${path}/members`, membersFrom(half, members + half));

    const first = put().catch(() => undefined);
    await sleep(random() * MAX_KILL_DELAY_MS);
    await replaceGateway(context, gateways);
    report(`  killed ${(await first) ? 'after the response to the PUT' : 'during the PUT'}`);
    // The response waits for the job, so a kill in the job's middle interrupts the request as well.
    const second = first.then((response) => response ?? untilResponse(put));
    await state.jobHalfway(second);
    await replaceGateway(context, gateways);
    report('  killed in the middle of the rest');
    const counts = (await second).json() as { members_added: number; members_removed: number };
    await state.jobsFinished();
    const problems = await listProblems(api, path, state, numbersFrom(half, members + half));

    const deleted = untilResponse(async () => {
      const response = await api.send('DELETE', path);
      // A repeated DELETE finds nothing.
      if (response.status === 204 || response.status === 404) return response;
      throw new Error(`DELETE: ${response.status} ${response.text}`);
    });
    await state.jobHalfway(deleted);
    await replaceGateway(context, gateways);
    report('  killed in the middle of the DELETE');
    await deleted;
    await state.jobsFinished();
    const events = await state.events();
    // A repeated PUT finds nothing left to do.
    const isCounted =
      counts.members_added === counts.members_removed && [half, 0].includes(counts.members_added);
    return {
      events: events.length,
      figures: {
        members: `${members.toLocaleString('en')}, half of them replaced, then all deleted`,
        kills: '3: during the PUT, its job and the job of the DELETE',
        events: String(events.length),
      },
      problems: [
        ...problems,
        ...(await eventProblems(context, state, events, expectedEvents(members, half))),
        ...unless(isCounted, `the PUT returned ${JSON.stringify(counts)}`),
      ],
    };
  },
});

import { setTimeout as sleep } from 'node:timers/promises';
import type mongoose from 'mongoose';
import type { ApiResponse, ApiClient } from '../shared/api-client.js';
import { type Context, replaceGateway, tenantClient } from '../shared/faults/context.js';
import { openDeliveryCounter } from '../shared/faults/count-deliveries.js';
import { unless } from '../shared/faults/find-problems.js';
import { watchJobs } from '../shared/faults/jobs.js';
import type { Run } from '../shared/faults/scenario.js';
import { openDatabase } from '../shared/start-database.js';
import { createList, membersFrom, CHUNK, phoneNumber } from './sms-list-client.js';

const TIMEOUT_MS = 120_000;
/** The first kill comes at a random time after the PUT, often before its response. */
const MAX_KILL_DELAY_MS = 1_500;

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

/**
 * A large list is replaced by its other half and deleted while the gateway is killed: in the middle
 * of the PUT, of its job, and of the DELETE's job.
 */
export const killDuringSmsJobs = async (
  context: Context,
  { members, random }: { readonly members: number; readonly random: () => number },
  { cleanup, report }: Run,
) => {
  const gateways = [await context.startGateway()];
  const gateway = () => gateways[0]?.url ?? '';
  const tenant = await context.createTenant(gateway(), 'numbers');
  const receiver = await openDeliveryCounter(context.identity, cleanup);
  await context.subscribe(gateway(), tenant, `${receiver.url}/numbers`);
  const api = tenantClient(gateway, tenant);
  const database = openDatabase(context.mongodbUri, cleanup);
  const jobs = watchJobs(database, tenant.id);
  const state = readListState(database, tenant.id, api);

  report(`Creating a list of ${members} numbers …`);
  // Without windows, since the sweep of expired members would remove some of them.
  const path = await createList(api, members, membersFrom);
  const half = Math.floor(members / 2);
  const replacement = { members: membersFrom(half, members + half) };
  const put = () => api.expect(200, 'PUT', `${path}/members`, replacement);

  const first = put().catch(() => undefined);
  await sleep(random() * MAX_KILL_DELAY_MS);
  await replaceGateway(context, gateways);
  report(`  killed ${(await first) ? 'after the response to the PUT' : 'during the PUT'}`);
  // The response waits for the job, so a kill in the job's middle interrupts the request as well.
  const second = first.then((response) => response ?? untilResponse(put));
  await jobs.halfway(second);
  await replaceGateway(context, gateways);
  report('  killed in the middle of the rest');
  const counts = (await second).json() as Counts;
  await jobs.finished();
  const memberProblems = await state.memberProblems(path, half, members + half);

  const deleted = untilResponse(async () => {
    const response = await api.send('DELETE', path);
    // A repeated DELETE finds nothing.
    if (response.status === 204 || response.status === 404) return response;
    throw new Error(`DELETE: ${response.status} ${response.text}`);
  });
  await jobs.halfway(deleted);
  await replaceGateway(context, gateways);
  report('  killed in the middle of the DELETE');
  await deleted;
  await jobs.finished();
  const eventProblems = await state.eventProblems(members, half, counts);

  const events = await state.eventCount();
  const deadline = performance.now() + TIMEOUT_MS;
  while (receiver.events() < events && performance.now() < deadline) await sleep(100);
  const delivered = receiver.events();
  const duplicates = receiver.duplicates();
  report(`  ${events} events, ${receiver.repeats()} deliveries repeated with the same id`);
  return {
    events,
    problems: [
      ...memberProblems,
      ...eventProblems,
      ...unless(delivered === events, `${delivered} of ${events} events were delivered`),
      ...unless(duplicates === 0, `${duplicates} events were delivered under two ids`),
    ],
  };
};

interface StoredEvent {
  readonly _id: string;
  readonly seq: number;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface MemberPage {
  readonly members: readonly { readonly phone_number: string }[];
  readonly total: number;
}

/** The response of a PUT. */
interface Counts {
  readonly members_added: number;
  readonly members_removed: number;
}

const PAGE = 100;

const membersOf = async (client: ApiClient, path: string): Promise<readonly string[]> => {
  const numbers: string[] = [];
  for (;;) {
    const query = `limit=${PAGE}&offset=${numbers.length}`;
    const page = await client.expect(200, 'GET', `${path}/members?${query}`);
    const { members, total } = page.json() as MemberPage;
    numbers.push(...members.map(({ phone_number }) => phone_number));
    if (numbers.length >= total || members.length === 0) return numbers;
  }
};

/** What the database and the gateway show of one list. */
const readListState = (database: mongoose.mongo.Db, tenant: string, client: ApiClient) => {
  const events = database.collection<StoredEvent>('events');
  const ofTenant = { tenant } as object;
  const countIn = (name: string) => database.collection(name).countDocuments(ofTenant);

  return {
    eventCount: () => events.countDocuments(ofTenant),
    /** The list must contain the numbers from one place to another, each once, in any order. */
    memberProblems: async (path: string, from: number, to: number): Promise<readonly string[]> => {
      const numbers = await membersOf(client, path);
      const distinct = new Set(numbers);
      const expected = to - from;
      const missing = Array.from({ length: expected }, (_, at) => phoneNumber(from + at)).filter(
        (each) => !distinct.has(each),
      );
      const list = await client.expect(200, 'GET', path);
      const { member_count } = list.json() as { readonly member_count: number };
      const stored = await countIn('sms_members');
      const parts = await countIn('sms_job_parts');
      return [
        ...unless(numbers.length === distinct.size, 'a number is on the list twice'),
        ...missing.map((each) => `${each} is not on the list`),
        ...unless(distinct.size <= expected, `${distinct.size - expected} numbers too many`),
        ...unless(member_count === expected, `member_count is ${member_count}`),
        ...unless(stored === expected, `${stored} members are stored`),
        ...unless(parts === 0, `${parts} parts of a job are left`),
      ];
    },
    /** The list was created, filled, replaced by its other half and deleted, each once. */
    eventProblems: async (
      members: number,
      half: number,
      counts: Counts,
    ): Promise<readonly string[]> => {
      const stored = await events.find(ofTenant).sort({ seq: 1 }).toArray();
      const hasGap = stored.some(({ seq }, at) => seq !== at + 1);
      const actual = stored.map(({ name, data }) => [name, data.added, data.removed].join(' '));
      const expected = [
        'sms_list.created  ',
        ...Array.from(
          { length: Math.ceil(members / CHUNK) },
          (_, at) => `sms_list.members_added ${Math.min(CHUNK, members - at * CHUNK)} `,
        ),
        `sms_list.members_added ${half} `,
        `sms_list.members_removed  ${half}`,
        'sms_list.deleted  ',
      ];
      const { members_added, members_removed } = counts;
      // A repeated PUT finds nothing left to do.
      const isCounted = members_added === members_removed && [half, 0].includes(members_added);
      const left = await countIn('sms_members');
      return [
        ...unless(!hasGap, 'the event log has a gap'),
        ...unless(actual.join() === expected.join(), `unexpected events: ${actual.join(', ')}`),
        ...unless(isCounted, `the PUT returned ${JSON.stringify(counts)}`),
        ...unless(left === 0, `${left} members are left`),
      ];
    },
  };
};

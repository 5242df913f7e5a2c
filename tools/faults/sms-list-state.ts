import type mongoose from 'mongoose';
import type { ApiClient } from '../shared/api-client.js';
import { unless } from '../shared/faults/find-problems.js';
import { CHUNK, phoneNumber } from './sms-list-client.js';

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
export interface Counts {
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
export const readListState = (database: mongoose.mongo.Db, tenant: string, client: ApiClient) => {
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

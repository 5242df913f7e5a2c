import type mongoose from 'mongoose';
import { type Ask, CHUNK, numberOf } from './list-client.js';

interface StoredEvent {
  readonly _id: string;
  readonly seq: number;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly members: readonly { readonly phone_number: string }[];
  readonly total: number;
}

const PAGE = 100;

/** What the database and the gateway hold of the large list. */
export const readSmsStock = (database: mongoose.mongo.Db, tenant: string, ask: Ask) => {
  const events = database.collection<StoredEvent>('events');
  const ofTenant = { tenant } as object;
  const countIn = (name: string) => database.collection(name).countDocuments(ofTenant);

  const numbersOf = async (path: string): Promise<readonly string[]> => {
    const numbers: string[] = [];
    for (;;) {
      const { body } = await ask('GET', `${path}/members?limit=${PAGE}&offset=${numbers.length}`);
      const { members, total } = body as Page;
      numbers.push(...members.map(({ phone_number }) => phone_number));
      if (numbers.length >= total || members.length === 0) return numbers;
    }
  };

  return {
    events: () => events.countDocuments(ofTenant),
    /** The list must hold the numbers of these places, each once, in any order. */
    faultsOfList: async (
      path: string,
      [from, to]: readonly [number, number],
    ): Promise<readonly string[]> => {
      const numbers = await numbersOf(path);
      const held = new Set(numbers);
      const missing = Array.from({ length: to - from }, (_, at) => numberOf(from + at)).filter(
        (number) => !held.has(number),
      );
      const { body } = await ask('GET', path);
      const { member_count } = body as { readonly member_count: number };
      const stored = await countIn('sms_members');
      return [
        ...(numbers.length === held.size ? [] : ['a number is on the list twice']),
        ...missing.map((number) => `${number} is not on the list`),
        ...(held.size > to - from ? [`${held.size - (to - from)} numbers are too many`] : []),
        ...(member_count === to - from ? [] : [`the list counts ${member_count} members`]),
        ...(stored === to - from ? [] : [`${stored} members are stored`]),
        ...((await countIn('sms_job_parts')) === 0 ? [] : ['parts of a job are left']),
      ];
    },
    /** What happened, once each, when the list was made, put to its other half, and deleted. */
    faultsOfEvents: async ({
      members,
      half,
      counts,
    }: {
      readonly members: number;
      readonly half: number;
      readonly counts: { readonly members_added: number; readonly members_removed: number };
    }): Promise<readonly string[]> => {
      const happened = await events.find(ofTenant).sort({ seq: 1 }).toArray();
      const places = happened.every(({ seq }, at) => seq === at + 1);
      const seen = happened.map(({ name, data }) => [name, data.added, data.removed].join(' '));
      const added = Array.from({ length: Math.ceil(members / CHUNK) }, (_, at) =>
        ['sms_list.members_added', Math.min(CHUNK, members - at * CHUNK), ''].join(' '),
      );
      const wanted = [
        'sms_list.created  ',
        ...added,
        `sms_list.members_added ${half} `,
        `sms_list.members_removed  ${half}`,
        'sms_list.deleted  ',
      ];
      const isToldOf = (count: number): boolean => count === half || count === 0;
      return [
        ...(places ? [] : ['places of the log are missing']),
        ...(seen.join() === wanted.join() ? [] : [`this happened: ${seen.join(', ')}`]),
        ...(isToldOf(counts.members_added) && counts.members_added === counts.members_removed
          ? []
          : [`the PUT was answered with ${JSON.stringify(counts)}`]),
        ...((await countIn('sms_members')) === 0 ? [] : ['members are left']),
      ];
    },
  };
};

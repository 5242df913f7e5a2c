import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandOf, SmsMemberInput } from '../../../src/domain/commands.js';
import { LIMITS } from '../../../src/domain/kernel/decider.js';
import type { SmsListId, SmsMemberId } from '../../../src/domain/kernel/ids.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { newId, resultOf } from '../../../src/pipeline/submit.js';
import { mongoSmsListReader } from '../../../src/store/read/sms-list-reader.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';
import { numberOf, TEST_VAULT } from '../../support/sms.js';
import { eventually } from '../../support/eventually.js';

const database = useDatabase();

/** So low that a few dozen members are a large change. */
const SMALL = { ...LIMITS, membersAtOnce: 20, stepSize: 10 };

let cores: readonly PipelineInstance[];
let tenant: Tenant;

beforeAll(async () => {
  cores = await Promise.all(
    [0, 1].map(async () => new PipelineInstance(await database.open(), { changeLimits: SMALL })),
  );
  tenant = await cores[0]!.createTenant();
});

const reader = () => mongoSmsListReader(cores[0]!.collections);

const run = async <
  Type extends
    | 'sms-list.create'
    | 'sms-list.delete'
    | 'sms-member.upsert'
    | 'sms-member.replace'
    | 'sms-member.remove-by-number'
    | 'sms-member.sweep'
    | 'sms-list.update',
>(
  command: CommandOf<Type>,
  core = cores[0]!,
) => resultOf<Type>(await core.submit<Type>(tenant.id, command));

const makeList = async (): Promise<SmsListId> => {
  const listId = newId<SmsListId>();
  await run<'sms-list.create'>({
    type: 'sms-list.create',
    listId,
    name: listId,
    externalId: null,
    validFrom: null,
    validUntil: null,
  });
  return listId;
};

const member = (
  listId: SmsListId,
  number: number,
  more: Partial<SmsMemberInput> = {},
): SmsMemberInput => ({
  id: newId<SmsMemberId>(),
  number: TEST_VAULT.seal(listId, numberOf(number)),
  ...more,
});

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

const shown = async (
  listId: SmsListId,
  query: { offset?: number; limit?: number; validAt?: Date } = {},
) => {
  const page = await reader().memberPage(tenant.id, listId, { offset: 0, limit: 500, ...query });
  return {
    numbers: page?.members.map((one) => TEST_VAULT.reveal(one.number)),
    total: page?.total,
    count: page?.list.memberCount,
    isBusy: page?.list.pendingJob !== null,
  };
};

const settled = (listId: SmsListId) =>
  eventually(async () => expect((await shown(listId)).isBusy).toBe(false));

describe('a list of members', () => {
  it('counts exactly what two instances add concurrently', async () => {
    const listId = await makeList();
    const counts = await Promise.all(
      numbers(0, 30).map((at) =>
        run<'sms-member.upsert'>(
          {
            type: 'sms-member.upsert',
            listId,
            // Three requests have each number: one adds it, the others find it unchanged.
            members: [0, 1, 2].map((step) => member(listId, (at + step) % 30)),
          },
          cores[at % 2],
        ),
      ),
    );
    expect(counts.reduce((sum, { added }) => sum + added, 0)).toBe(30);
    expect(counts.reduce((sum, { updated }) => sum + updated, 0)).toBe(0);
    const { numbers: held, total, count } = await shown(listId);
    expect(new Set(held).size).toBe(30);
    expect([total, count]).toEqual([30, 30]);
  });

  it('ends as one of two concurrent replacements, with exact counts', async () => {
    const listId = await makeList();
    const lists = [numbers(0, 15), numbers(10, 25)];
    const counts = await Promise.all(
      lists.map((list, at) =>
        run<'sms-member.replace'>(
          { type: 'sms-member.replace', listId, members: list.map((one) => member(listId, one)) },
          cores[at],
        ),
      ),
    );
    const { numbers: held, total } = await shown(listId);
    const wanted = lists.map((list) => list.map(numberOf));
    expect(wanted).toContainEqual([...(held ?? [])].sort());
    expect(total).toBe(15);
    expect(counts.map(({ added }) => added).sort()).toEqual([10, 15]);
    expect(counts.map(({ removed }) => removed).sort()).toEqual([0, 10]);
  });

  it('is replaced by a job if it is large, with the counts known at once', async () => {
    const listId = await makeList();
    const put = (list: readonly number[]) =>
      run<'sms-member.replace'>({
        type: 'sms-member.replace',
        listId,
        members: list.map((one) => member(listId, one)),
      });
    expect(await put(numbers(0, 95))).toEqual({ added: 95, updated: 0, removed: 0 });
    // Waits in the lane for the first job and counts from its result.
    expect(await put(numbers(50, 150))).toEqual({ added: 55, updated: 0, removed: 50 });
    await settled(listId);
    const { numbers: held, total } = await shown(listId);
    expect(held).toEqual(numbers(50, 150).map(numberOf));
    expect(total).toBe(100);
    expect(await cores[0]!.collections.smsJobParts.countDocuments({ tenant: tenant.id })).toBe(0);
  });

  it('is deleted at once, and its many members soon after', async () => {
    const listId = await makeList();
    const members = numbers(0, 60).map((one) => member(listId, one));
    await run<'sms-member.replace'>({ type: 'sms-member.replace', listId, members });
    await settled(listId);
    await run<'sms-list.delete'>({ type: 'sms-list.delete', listId });
    expect(await reader().memberPage(tenant.id, listId, { offset: 0, limit: 1 })).toBeUndefined();
    const { smsMembers } = cores[0]!.collections;
    await eventually(async () =>
      expect(await smsMembers.countDocuments({ tenant: tenant.id, list: listId })).toBe(0),
    );
  });

  it('has correct pages after members were added and removed', async () => {
    const listId = await makeList();
    const add = (from: number, to: number) =>
      run<'sms-member.upsert'>({
        type: 'sms-member.upsert',
        listId,
        members: numbers(from, to).map((one) => member(listId, one)),
      });
    // More than one segment, so that pages start in later ones.
    for (let from = 0; from < 1_200; from += 20) await add(from, from + 20);
    await run<'sms-member.remove-by-number'>({
      type: 'sms-member.remove-by-number',
      listId,
      keys: numbers(0, 10).map((one) => TEST_VAULT.keyOf(listId, numberOf(one))),
    });
    for (const offset of [0, 500, 505, 1_100, 1_185]) {
      const page = await shown(listId, { offset, limit: 20 });
      expect(page.numbers).toEqual(
        numbers(10 + offset, Math.min(1_200, 30 + offset)).map(numberOf),
      );
      expect(page.total).toBe(1_190);
    }
    expect((await shown(listId, { offset: 1_190 })).numbers).toEqual([]);
  }, 60_000);

  it('returns the members that are valid at any time, with the total, page by page', async () => {
    const listId = await makeList();
    const time = (second: number) => new Date(Date.UTC(2027, 0, 1, 0, 0, second));
    const windows = numbers(0, 20).map((at) => ({
      validFrom: at % 3 === 0 ? null : time(at % 5),
      validUntil: at % 4 === 0 ? null : time(5 + (at % 7)),
    }));
    await run<'sms-member.upsert'>({
      type: 'sms-member.upsert',
      listId,
      members: windows.map((window, at) => member(listId, at, window)),
    });
    for (const second of numbers(-1, 14)) {
      const at = time(second);
      const expected = windows.flatMap(({ validFrom, validUntil }, number) =>
        (validFrom === null || validFrom <= at) && (validUntil === null || at < validUntil)
          ? [numberOf(number)]
          : [],
      );
      const pages = await Promise.all(
        [0, 7, 14].map((offset) => shown(listId, { validAt: at, offset, limit: 7 })),
      );
      expect(pages.flatMap((page) => page.numbers)).toEqual(expected);
      expect(pages.map(({ total }) => total)).toEqual(pages.map(() => expected.length));
    }
  });

  it.each([
    { many: 'few', of: 40 },
    { many: 'most', of: 5 },
  ])('has correct pages of a long list with $many invalid members', async ({ of }) => {
    const long = new PipelineInstance(await database.open());
    const listId = await makeList();
    const [ended, not] = [new Date('2026-01-01T00:00:00Z'), new Date('2099-01-01T00:00:00Z')];
    const windowOf = (at: number) => {
      if (of === 40 ? at % of > 1 : at % of === 0) return {};
      return at % 2 === 0 ? { validUntil: ended } : { validFrom: not };
    };
    for (let from = 0; from < 3_000; from += 1_000)
      await run<'sms-member.upsert'>(
        {
          type: 'sms-member.upsert',
          listId,
          members: numbers(from, from + 1_000).map((at) => member(listId, at, windowOf(at))),
        },
        long,
      );
    const valid = numbers(0, 3_000).filter((at) => Object.keys(windowOf(at)).length === 0);
    const offsets = [1, 255, 256, 511, 512, 513, 599, 600, 1_300, 2_840, 2_849, 2_850, 2_999];
    for (const offset of offsets) {
      const page = await shown(listId, { validAt: new Date('2027-01-01'), offset, limit: 30 });
      expect(page.numbers).toEqual(valid.slice(offset, offset + 30).map(numberOf));
      expect(page.total).toBe(valid.length);
    }
  });

  it('counts again once a window starts, ends or changes', async () => {
    const listId = await makeList();
    const time = (second: number) => new Date(Date.UTC(2027, 0, 1, 0, 0, second));
    const give = (number: number, from: number, until: number) =>
      run<'sms-member.upsert'>({
        type: 'sms-member.upsert',
        listId,
        members: [member(listId, number, { validFrom: time(from), validUntil: time(until) })],
      });
    const counted = async (second: number) =>
      (await shown(listId, { validAt: time(second), offset: 1, limit: 1 })).total;
    // Twice at each time: the second response uses the first one's count.
    const countedAt = async () => {
      const counts: (number | undefined)[] = [];
      for (const second of [0, 1, 2, 2, 3, 4, 4, 5, 3, 1])
        counts.push(await counted(second), await counted(second));
      return counts.filter((_, at) => at % 2 === 0 || counts[at] !== counts[at - 1]);
    };
    await give(0, 2, 4);
    await give(1, 0, 9);
    expect(await countedAt()).toEqual([1, 1, 2, 2, 2, 1, 1, 1, 2, 1]);
    await give(0, 1, 3);
    expect(await countedAt()).toEqual([1, 2, 2, 2, 1, 1, 1, 1, 1, 2]);
  });

  it('removes members whose window ended long ago, step by step', async () => {
    const listId = await makeList();
    const [ended, now] = [new Date('2020-01-01T00:00:00Z'), new Date('2021-01-01T00:00:00Z')];
    for (const from of [0, 20])
      await run<'sms-member.upsert'>({
        type: 'sms-member.upsert',
        listId,
        members: numbers(from, from + 20).map((one) =>
          member(listId, one, one < 15 ? { validUntil: ended } : {}),
        ),
      });
    const found = await reader().findEnded(now, []);
    expect(found).toEqual({ tenantId: tenant.id, listId });
    const sweep = () => run<'sms-member.sweep'>({ type: 'sms-member.sweep', listId, endedBy: now });
    expect(await sweep()).toMatchObject({ removed: 10 });
    expect(await sweep()).toMatchObject({ removed: 5 });
    expect(await sweep()).toMatchObject({ removed: 0 });
    expect((await shown(listId)).total).toBe(25);
    expect(await reader().findEnded(now, [])).toBeUndefined();
  });
});

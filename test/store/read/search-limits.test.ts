import { describe, expect, it } from 'vitest';
import type { UserQuery } from '../../../src/ports/users.js';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import { type Refusal, RefusalError } from '../../../src/domain/kernel/refusals.js';
import { newId } from '../../../src/pipeline/submit.js';
import { readFilter } from '../../../src/scim/filter-reader.js';
import { USER } from '../../../src/scim/schemas.js';
import { collectionsOf } from '../../../src/store/tables/collections.js';
import {
  type SearchCost,
  createSearchLimits,
  type Search,
  type SearchLimits,
} from '../../../src/store/read/search-limits.js';
import { toUserDocument } from '../../../src/store/tables/users.js';
import { conditionsOf, userSearchCost } from '../../../src/store/read/user-query.js';
import { mongoUserReader } from '../../../src/store/read/user-reader.js';
import { aUser, idOf } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';

const [ONE, OTHER, THIRD] = [newId<TenantId>(), newId<TenantId>(), newId<TenantId>()];

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => {
      if (error instanceof RefusalError) return error.refusal;
      throw error;
    },
  );

const costOf = (parameters: Partial<UserQuery>): SearchCost => {
  const query: UserQuery = { defaultRole: 'member', offset: 0, limit: 100, ...parameters };
  return userSearchCost(query, conditionsOf(query));
};

const eightOf = (condition: string): string => Array<string>(8).fill(condition).join(' or ');
const eightTerms = eightOf('nickName co "x"');
const eightTypes = eightOf('type co "x"');

describe('the cost of a filter on users', () => {
  it.each<[SearchCost, string]>([
    ['point', 'userName eq "bob"'],
    ['point', 'externalId eq "x"'],
    ['point', 'id eq "x"'],
    ['point', 'emails.value eq "x"'],
    ['point', 'emails[type eq "work" and value eq "x"]'],
    ['point', 'emails[type eq "work"].value eq "x"'],
    ['point', 'userName eq "bob" and nickName co "x"'],
    ['point', 'nickName co "x" and (title eq "y" and userName eq "bob")'],
    ['point', 'userName eq "a" or userName eq "b" or externalId eq "c"'],
    ['point', 'meta.lastModified eq "2026-01-31T12:00:00Z"'],
    ['point', 'displayName eq "The same" and active eq true'],
    ['range', `displayName eq "The same" and (${eightTerms})`],
    ['range', `emails[value eq "all@example.com" and (${eightTypes})]`],
    ['point', `userName eq "bob" and (${eightTerms})`],
    ['range', 'userName sw "a"'],
    ['range', 'displayName sw "a" and active eq true'],
    ['range', 'meta.lastModified gt "2026-01-31T12:00:00Z"'],
    ['range', 'userName sw "a" or externalId eq "c"'],
    ['presence', 'externalId pr'],
    ['presence', 'userName sw ""'],
    ['presence', 'active eq true or userName eq "a"'],
    ['presence', 'roles.value eq "boss"'],
    ['scan', 'nickName co "x"'],
    ['scan', 'roles.primary eq false'],
    ['scan', 'nickName eq "x"'],
    ['scan', 'userName co "x"'],
    ['scan', 'userName ew "x"'],
    ['scan', 'userName ne "x"'],
    ['scan', 'not (userName eq "x")'],
    ['scan', 'externalId eq null'],
    ['scan', 'userName eq "a" or nickName eq "b"'],
    ['scan', 'externalId pr and nickName eq "b"'],
    ['scan', 'emails[type eq "work"]'],
    ['scan', 'meta.created gt "2026-01-31T12:00:00Z"'],
  ])('%s: %s', (cost, text) => {
    const filter = readFilter(text, USER);
    expect(costOf({ filter })).toBe(cost);
  });

  it.each<[SearchCost, Partial<UserQuery>]>([
    ['point', { email: 'a@b.c' }],
    ['point', { externalId: 'x' }],
    ['point', { active: false }],
    ['presence', { active: true, offset: 20_000 }],
    ['presence', { role: 'boss' }],
    ['range', { prefix: 'bo' }],
    ['range', { search: 'bo' }],
    ['range', { prefix: 'bo', active: true }],
    ['presence', { role: 'boss', active: true }],
    ['scan', { role: 'boss', active: true, filter: readFilter('nickName co "x"', USER) }],
  ])('%s: native query %j', (cost, query) => {
    expect(costOf(query)).toBe(cost);
  });
});

const searchOf = (tenantId: TenantId, more: Partial<Search> = {}): Search => ({
  tenantId,
  cost: 'scan',
  size: () => Promise.resolve(5_000),
  resourceName: 'users',
  indexed: 'userName',
  ...more,
});

const filterOf = (count: number) =>
  readFilter(Array<string>(count).fill('nickName co "x"').join(' or '), USER);

/** A search that runs until the test ends it. */
const begin = (limits: SearchLimits, search: Search) => {
  let end = (): void => undefined;
  const work = new Promise<void>((resolve) => (end = resolve));
  return { end, done: limits.run(search, () => work) };
};

describe('concurrent searches', () => {
  it('are limited to two per tenant, then 503 with Retry-After until one ends', async () => {
    const limits = createSearchLimits({ perTenant: 2, overall: 4 });
    const [first, second] = [begin(limits, searchOf(ONE)), begin(limits, searchOf(ONE))];
    await Promise.resolve();
    const refusal = await refusalOf(limits.run(searchOf(ONE), () => Promise.resolve('late')));
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
    first.end();
    await first.done;
    await expect(limits.run(searchOf(ONE), () => Promise.resolve('now'))).resolves.toBe('now');
    second.end();
    await second.done;
  });

  it('are limited to four over all tenants, and a failed one frees its slot', async () => {
    const limits = createSearchLimits({ perTenant: 2, overall: 4 });
    const running = [ONE, ONE, OTHER].map((tenantId) => begin(limits, searchOf(tenantId)));
    const failing = limits.run(searchOf(OTHER), () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    running.push(begin(limits, searchOf(OTHER)));
    await Promise.resolve();
    const refusal = await refusalOf(limits.run(searchOf(THIRD), () => Promise.resolve()));
    expect(refusal.code).toBe('UNAVAILABLE');
    for (const { end, done } of running) {
      end();
      await done;
    }
  });

  it('count as two if they have many conditions: one of a tenant at once', async () => {
    const limits = createSearchLimits({ perTenant: 2, overall: 4 });
    const manyConditions = { filter: filterOf(11) };
    const running = [ONE, OTHER].map((tenant) => begin(limits, searchOf(tenant, manyConditions)));
    await Promise.resolve();
    for (const tenant of [ONE, THIRD]) {
      const refusal = await refusalOf(limits.run(searchOf(tenant), () => Promise.resolve()));
      expect(refusal.code).toBe('UNAVAILABLE');
    }
    for (const { end, done } of running) {
      end();
      await done;
    }
    const now = limits.run(searchOf(ONE, manyConditions), () => Promise.resolve('now'));
    await expect(now).resolves.toBe('now');
  });

  it('are not limited if an index answers them or the tenant is small', async () => {
    const limits = createSearchLimits({ perTenant: 0, overall: 0 });
    const work = () => Promise.resolve('done');
    await expect(limits.run(searchOf(ONE, { cost: 'point' }), work)).resolves.toBe('done');
    const small = searchOf(ONE, { size: () => Promise.resolve(1_000) });
    await expect(limits.run(small, work)).resolves.toBe('done');
  });
});

describe('the time of a search', () => {
  const clockOf = () => {
    let at = 0;
    return { now: () => at, pass: (milliseconds: number) => void (at += milliseconds) };
  };

  it('is one budget for all its queries', async () => {
    const clock = clockOf();
    const limits = createSearchLimits({ budgetMs: 1_000, now: clock.now });
    const left = await limits.run(searchOf(ONE), (budget) => {
      const first = budget.left();
      clock.pass(700);
      return Promise.resolve([first, budget.left()]);
    });
    expect(left).toEqual([1_000, 300]);
  });

  it.each([
    ['a tenant that is too large: the filter is at fault', 20_000, 'INVALID_FILTER'],
    ['a smaller one: the database is at fault', 5_000, 'UNAVAILABLE'],
  ])('is exceeded in %s', async (_what, size, code) => {
    const clock = clockOf();
    const limits = createSearchLimits({ budgetMs: 1_000, now: clock.now });
    const search = searchOf(ONE, { cost: 'presence', size: () => Promise.resolve(size) });
    const late = limits.run(search, (budget) => {
      clock.pass(1_000);
      return Promise.resolve(budget.left());
    });
    expect((await refusalOf(late)).code).toBe(code);
  });

  it.each<[string, Partial<Search>, string]>([
    ['many conditions: the filter is at fault', { filter: filterOf(11) }, 'INVALID_FILTER'],
    ['few: the database is at fault', { filter: filterOf(10) }, 'UNAVAILABLE'],
    ['an index: the database is at fault', { filter: filterOf(11), cost: 'point' }, 'UNAVAILABLE'],
  ])('is exceeded by a filter with %s', async (_what, more, code) => {
    for (const size of [5_000, 1_000]) {
      const clock = clockOf();
      const limits = createSearchLimits({ now: clock.now });
      const search = searchOf(ONE, { size: () => Promise.resolve(size), ...more });
      const late = limits.run(search, (budget) => {
        clock.pass(2_000);
        return Promise.resolve(budget.left());
      });
      expect((await refusalOf(late)).code).toBe(code);
    }
  });
});

describe('users of a tenant that is too large for a search', () => {
  const database = useDatabase();
  const SIZE = 30;

  const open = async (bounds: Parameters<typeof createSearchLimits>[0]) => {
    const collections = collectionsOf(await database.open());
    const tenantId = newId<TenantId>();
    await collections.users.insertMany(
      Array.from({ length: SIZE }, (_, at) => {
        const user = { ...aUser(at, { nickName: `nick ${at}`, active: at % 3 > 0 }), id: newId() };
        return toUserDocument({ ...user, tenantId } as never, at);
      }),
    );
    const counts = { userCount: SIZE, seatsProvisioned: 20 };
    await collections.tenantState.insertOne({ _id: tenantId, ...counts } as never);
    const reader = mongoUserReader(collections, createSearchLimits({ smallSize: 0, ...bounds }));
    return (text: string, more: object = {}) =>
      reader.page(tenantId, {
        ...(text !== '' && { filter: readFilter(text, USER) }),
        defaultRole: 'member',
        offset: 0,
        limit: 5,
        ...more,
      });
  };

  it('are not searched without an index: 400 that names the indexed attributes', async () => {
    const page = await open({ maxScanned: SIZE - 1 });
    const refusal = await refusalOf(page('nickName co "nick"'));
    expect(refusal).toMatchObject({ code: 'INVALID_FILTER', scimType: 'tooMany' });
    expect(refusal.message).toMatch(/30 users.*userName, externalId/s);
  });

  it('are found by indexed attributes, also combined with others', async () => {
    const page = await open({ maxScanned: SIZE - 1, overall: 1 });
    const one = idOf(0);
    expect((await page(`id eq "${one}" or nickName eq "x" and userName eq "y"`)).total).toBe(0);
    expect((await page('userName sw "user"')).total).toBeGreaterThanOrEqual(0);
    expect((await page('active eq false')).total).toBe(10);
    expect((await page('', { active: true })).total).toBe(20);
    expect((await page('', { active: true })).users).toHaveLength(5);
  });

  it('are refused many conditions that take too long: 400 with their number', async () => {
    const page = await open({ budgetMs: 0 });
    const eleven = Array<string>(11).fill('nickName co "nick"').join(' or ');
    for (const text of [eleven, `(${eleven}) and groups pr`])
      expect(await refusalOf(page(text))).toMatchObject({
        code: 'INVALID_FILTER',
        scimType: 'tooMany',
        message: expect.stringMatching(/has 1[12] conditions.*userName, externalId/s) as unknown,
      });
  });

  it('are searched up to that size', async () => {
    const page = await open({ maxScanned: SIZE });
    expect((await page('nickName co "nick"')).total).toBe(SIZE);
  });
});

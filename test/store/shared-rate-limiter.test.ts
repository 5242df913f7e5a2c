import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Collections, collectionsOf } from '../../src/store/tables/collections.js';
import { SharedRateLimiter } from '../../src/store/shared-rate-limiter.js';
import { useDatabase } from '../support/core.js';

const database = useDatabase();
let collections: Collections;

beforeAll(async () => {
  collections = collectionsOf(await database.open());
});

const NOON = Date.parse('2026-11-21T12:00:00Z');
let keys = 0;
const aKey = (): string => `key-${(keys += 1)}`;

const limiters = (count: number, limit: number, clock = { now: NOON }): SharedRateLimiter[] =>
  Array.from(
    { length: count },
    () =>
      new SharedRateLimiter({
        collections,
        limit,
        now: () => clock.now,
        instances: () => count,
      }),
  );

const allowedOf = async (limiter: SharedRateLimiter, key: string, times: number) => {
  let allowed = 0;
  for (let at = 0; at < times; at += 1) if ((await limiter.take(key)).allowed) allowed += 1;
  return allowed;
};

describe('a single gateway', () => {
  it('allows exactly the limit for concurrent requests', async () => {
    const [limiter] = limiters(1, 600);
    const key = aKey();
    const results = await Promise.all(Array.from({ length: 700 }, async () => limiter!.take(key)));
    expect(results.filter(({ allowed }) => allowed)).toHaveLength(600);
    expect(results.at(-1)).toEqual({ allowed: false, limit: 600, remaining: 0, resetSeconds: 60 });
  });

  it('counts down what remains', async () => {
    const [limiter] = limiters(1, 3);
    const key = aKey();
    const remaining = [];
    for (let at = 0; at < 4; at += 1) remaining.push((await limiter!.take(key)).remaining);
    expect(remaining).toEqual([2, 1, 0, 0]);
  });

  it('starts over with the next window', async () => {
    const clock = { now: NOON + 59_999 };
    const [limiter] = limiters(1, 5, clock);
    const key = aKey();
    expect(await allowedOf(limiter!, key, 7)).toBe(5);
    clock.now += 1;
    expect(await allowedOf(limiter!, key, 7)).toBe(5);
  });

  it('keeps its count across a restart', async () => {
    const key = aKey();
    const [before, after] = [...limiters(1, 100), ...limiters(1, 100)];
    expect(await allowedOf(before!, key, 33)).toBe(33);
    await before!.close();
    expect(await allowedOf(after!, key, 100)).toBe(67);
  });

  it('counts each key separately', async () => {
    const [limiter] = limiters(1, 2);
    const [one, other] = [aKey(), aKey()];
    expect(await allowedOf(limiter!, one, 5)).toBe(2);
    expect(await allowedOf(limiter!, other, 5)).toBe(2);
  });
});

describe('several gateways', () => {
  it('exceed the limit by at most 5 % and refuse no request below it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 20, max: 300 }),
        fc.array(fc.nat(5), { minLength: 50, maxLength: 400 }),
        async (count, limit, order) => {
          const group = limiters(count, limit);
          const key = aKey();
          let used = 0;
          for (const at of order) {
            const { allowed } = await group[at % count]!.take(key);
            if (allowed) used += 1;
            else expect(used).toBeGreaterThanOrEqual(limit);
          }
          expect(used).toBeLessThanOrEqual(Math.floor(limit * 1.05));
        },
      ),
      { numRuns: 30 },
    );
  });
});

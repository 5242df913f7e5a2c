import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TenantId } from '../../../src/domain/kernel/ids.js';
import { newId } from '../../../src/pipeline/submit.js';
import { joinLookups } from '../../../src/store/read/join-lookups.js';

const TENANT = newId<TenantId>();
const OTHER = newId<TenantId>();

interface Query {
  readonly tenantId: TenantId;
  readonly keys: readonly string[];
  /** Ends the query: each key has itself as its value. */
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

/** Lookups whose queries end when a test says so. */
const given = () => {
  const queries: Query[] = [];
  const find = joinLookups<string, string>(
    (tenantId, keys) =>
      new Promise((resolve, reject) => {
        const end = () => resolve(new Map(keys.map((key) => [key, key])));
        queries.push({ tenantId, keys, end, fail: reject });
      }),
  );
  const query = (at: number): Query => {
    const found = queries[at];
    if (!found) throw new Error(`There is no query ${at}.`);
    return found;
  };
  return { find, queries, query };
};

describe('joined lookups', () => {
  it('start at once if none is in progress', async () => {
    const { find, query } = given();
    const found = find(TENANT, ['a']);
    query(0).end();
    expect(await found).toEqual(new Map([['a', 'a']]));
    const next = find(TENANT, ['a']);
    query(1).end();
    expect((await next).get('a')).toBe('a');
  });

  it('share the next query while one is in progress', async () => {
    const { find, queries, query } = given();
    const first = find(TENANT, ['a']);
    const others = [find(TENANT, ['b']), find(TENANT, ['c']), find(TENANT, ['b'])];
    expect(queries).toHaveLength(1);
    query(0).end();
    await first;
    expect(query(1).keys).toEqual(['b', 'c']);
    query(1).end();
    const found = await Promise.all(others);
    expect(found.map((values) => values.get('b'))).toEqual(['b', 'b', 'b']);
    expect(queries).toHaveLength(2);
  });

  it('never get the result of a query that started before them', async () => {
    const { find, queries, query } = given();
    const before = find(TENANT, ['a']);
    const after = find(TENANT, ['a']);
    query(0).end();
    await before;
    expect(queries).toHaveLength(2);
    query(1).end();
    expect((await after).get('a')).toBe('a');
  });

  it('do not wait for other tenants', async () => {
    const { find, query } = given();
    const own = find(TENANT, ['a']);
    const other = find(OTHER, ['b']);
    expect(query(1).tenantId).toBe(OTHER);
    query(1).end();
    expect((await other).get('b')).toBe('b');
    query(0).end();
    await own;
  });

  it('continue after a failure, which only those in the query get', async () => {
    const { find, query } = given();
    const failed = find(TENANT, ['a']);
    const next = find(TENANT, ['b']);
    query(0).fail(new Error('no connection'));
    await expect(failed).rejects.toThrow('no connection');
    query(1).end();
    expect((await next).get('b')).toBe('b');
  });

  it('start another query when a hundred keys wait', async () => {
    const { find, queries, query } = given();
    const first = find(TENANT, ['first']);
    const many = Array.from({ length: 100 }, (_, at) => find(TENANT, [`key ${at}`]));
    const last = find(TENANT, ['last']);
    await Promise.resolve();
    expect(queries.map(({ keys }) => keys.length)).toEqual([1, 100]);
    query(0).end();
    await first;
    query(1).end();
    await Promise.all(many);
    expect(query(2).keys).toEqual(['last']);
    query(2).end();
    await last;
  });

  it('of a hundred keys are a query of their own', async () => {
    const { find, queries, query } = given();
    const keys = Array.from({ length: 100 }, (_, at) => `key ${at}`);
    const large = find(TENANT, keys);
    const small = find(TENANT, ['a']);
    expect(queries.map(({ keys: { length } }) => length)).toEqual([100, 1]);
    for (const at of [0, 1]) query(at).end();
    expect((await large).size).toBe(100);
    expect((await small).size).toBe(1);
  });
});

describe('joined lookups behind a query that hangs', () => {
  // Of nothing else: other files of this process have connections.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('start after 50 ms', async () => {
    const { find, queries, query } = given();
    void find(TENANT, ['hangs']);
    const waiting = find(TENANT, ['a']);
    await vi.advanceTimersByTimeAsync(49);
    expect(queries).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    query(1).end();
    expect((await waiting).get('a')).toBe('a');
    await vi.advanceTimersByTimeAsync(100);
    expect(queries).toHaveLength(2);
  });
});

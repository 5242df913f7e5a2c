import { describe, expect, it } from 'vitest';
import { givesNewUsers } from '../../bench/load/bulk-faults.js';
import { bulk } from '../../bench/load/bulk-work.js';
import { EMPTY_SCENE } from '../../bench/load/ground.js';

interface Body {
  readonly Operations: readonly {
    readonly method: string;
    readonly bulkId: string;
    readonly data: { readonly userName: string; readonly emails: readonly { value: string }[] };
  }[];
}

const ground = { ...EMPTY_SCENE, users: [], clients: 1, run: 'run7' };

describe('the work with Bulk', () => {
  it('creates so many users in each request, none of them twice', () => {
    const work = bulk(3)(ground);
    const bodies = [1, 2].map(() => JSON.parse(work(0)[0]?.body ?? '') as Body);
    const operations = bodies.flatMap((body) => body.Operations);
    expect(operations.map(({ method, bulkId }) => `${method} ${bulkId}`)).toEqual([
      ...['POST u1', 'POST u2', 'POST u3'],
      ...['POST u1', 'POST u2', 'POST u3'],
    ]);
    expect(new Set(operations.map(({ data }) => data.userName)).size).toBe(6);
    expect(operations[4]?.data.userName).toBe('run7b2.2@Bench.example');
    expect(operations[4]?.data.emails[0]?.value).toBe('run7b2.2@bench.example');
  });
});

const made = (number: number) => ({
  method: 'POST',
  bulkId: `u${number}`,
  status: '201',
  location: `https://gateway.example/scim/v2/Users/id${number}`,
});

const answer = (...operations: readonly object[]) => {
  return { status: 200, text: JSON.stringify({ Operations: operations }) };
};

describe('an answer to a Bulk in the benchmark', () => {
  const look = givesNewUsers(2);

  it('is right where each create was done, in its place', () => {
    expect(look(answer(made(1), made(2)))).toBeUndefined();
  });

  it.each([
    ['an operation is lacking', [made(1)], 'the number of Operations is 1, not 2'],
    ['two have changed places', [made(2), made(1)], 'bulkId of operation 1 is "u2", not "u1"'],
    [
      'one was refused',
      [made(1), { ...made(2), status: '409' }],
      'status of operation 2 is "409", not "201"',
    ],
    [
      'one does not say where it is',
      [made(1), { ...made(2), location: undefined }],
      'operation 2 has no location',
    ],
    [
      'two are the same user',
      [made(1), { ...made(2), location: made(1).location }],
      'the number of locations is 1, not 2',
    ],
  ])('is wrong where %s', (_what, operations, fault) => {
    expect(look(answer(...operations))).toBe(fault);
  });
});

import { describe, expect, it } from 'vitest';
import { expectNewUsers } from '../../tools/bench/load/bulk-checks.js';
import { bulk } from '../../tools/bench/load/bulk-operation.js';
import { NO_FIXTURE } from '../../tools/bench/load/operation.js';

interface Body {
  readonly Operations: readonly {
    readonly method: string;
    readonly bulkId: string;
    readonly data: { readonly userName: string; readonly emails: readonly { value: string }[] };
  }[];
}

const input = { ...NO_FIXTURE, users: [], clients: 1, run: 'run7' };

describe('the Bulk operation', () => {
  it('creates distinct users in each request', () => {
    const operation = bulk(3)(input);
    const bodies = [1, 2].map(() => JSON.parse(operation(0)[0]?.body ?? '') as Body);
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

const created = (number: number) => ({
  method: 'POST',
  bulkId: `u${number}`,
  status: '201',
  location: `https://gateway.example/scim/v2/Users/id${number}`,
});

const response = (...operations: readonly object[]) => {
  return { status: 200, text: JSON.stringify({ Operations: operations }) };
};

describe('expectNewUsers', () => {
  const check = expectNewUsers(2);

  it('accepts a result for each create, in order', () => {
    expect(check(response(created(1), created(2)))).toBeUndefined();
  });

  it.each([
    ['a missing operation', [created(1)], 'the number of Operations is 1, not 2'],
    ['a wrong order', [created(2), created(1)], 'bulkId of operation 1 is "u2", not "u1"'],
    [
      'a failed operation',
      [created(1), { ...created(2), status: '409' }],
      'status of operation 2 is "409", not "201"',
    ],
    [
      'a missing location',
      [created(1), { ...created(2), location: undefined }],
      'operation 2 has no location',
    ],
    [
      'a duplicate user',
      [created(1), { ...created(2), location: created(1).location }],
      'the number of locations is 1, not 2',
    ],
  ])('rejects %s', (_what, operations, problem) => {
    expect(check(response(...operations))).toBe(problem);
  });
});

import { describe, expect, it } from 'vitest';
import { attempt, distribute, sendChecked } from '../../tools/bench/load/clients.js';
import { expectNewUser, expectUser, expectUsers } from '../../tools/bench/load/response-checks.js';
import { readOptions, UsageError } from '../../tools/bench/options.js';
import { tablesOf } from '../../tools/bench/report/tables.js';
import type { Performance, Results, Round } from '../../tools/bench/run/results.js';
import type { PeerName } from '../../tools/bench/servers/start-server.js';
import { checkTargets } from '../../tools/bench/targets.js';

const response = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });

const ada = { id: '1', userName: 'ada', active: true };
const grace = { id: '2', userName: 'grace', active: true };

describe('the checks of user responses', () => {
  it('accept the expected user with additional attributes', () => {
    expect(
      expectUser(200, { id: '1' })(response(200, { ...ada, title: 'Countess' })),
    ).toBeUndefined();
  });

  it('reject another status', () => {
    expect(expectUser(200, { id: '1' })(response(203, ada))).toBe('the status is 203, not 200');
  });

  it('reject another user', () => {
    expect(expectUser(200, { id: '1' })(response(200, grace))).toBe('id is "2", not "1"');
  });

  it('reject a body that is not JSON', () => {
    expect(expectUser(200, ada)({ status: 200, text: '<html>' })).toMatch(/cannot be read/);
  });

  it('accept a new user with an id and the e-mail address', () => {
    const created = { ...ada, emails: [{ value: 'ada' }] };
    expect(expectNewUser('ada')(response(201, created))).toBeUndefined();
    expect(expectNewUser('ada')(response(201, { ...created, id: undefined }))).toBe(
      'the id is missing',
    );
    expect(expectNewUser('ada')(response(201, ada))).toBe(
      'emails[0].value is undefined, not "ada"',
    );
  });

  it('accept a page with exactly its users, in order, and the total', () => {
    const check = expectUsers({ total: 9, startIndex: 4, users: [ada, grace] });
    const page = { totalResults: 9, startIndex: 4, Resources: [ada, grace] };
    expect(check(response(200, page))).toBeUndefined();
    expect(check(response(200, { ...page, totalResults: 8 }))).toBe('totalResults is 8, not 9');
    expect(check(response(200, { ...page, startIndex: 1 }))).toBe('startIndex is 1, not 4');
    expect(check(response(200, { ...page, Resources: [ada] }))).toMatch(/number of Resources is 1/);
    expect(check(response(200, { ...page, Resources: [grace, ada] }))).toBe('id is "2", not "1"');
  });
});

describe('a missing response', () => {
  it('counts as a wrong one', async () => {
    const nowhere = {
      target: { origin: 'http://127.0.0.1:1', base: '/', headers: {} },
      clients: 1,
    };
    const { wrong } = await attempt(
      distribute(nowhere, ['1'], (connection, path) =>
        sendChecked(connection, { method: 'GET', path, check: () => undefined }),
      ),
    );
    expect(wrong?.why).toMatch(/ECONNREFUSED/);
  });
});

const round = (rate: number): Round => {
  return { rate, p50: 8, p99: 20, cpu: 1, databaseCpu: 0.5, rss: 100 };
};

const performance = (
  peer: PeerName,
  rates: readonly number[],
  more: Partial<Performance> = {},
): Performance => ({ peer, size: 10_000, label: peer, rounds: rates.map(round), ...more });

const resultsOf = (...performances: readonly Performance[]): Results => ({
  ...{ starts: [], directoryStarts: [], syncs: [], deliveries: [], drains: [], connectors: [] },
  workloads: [{ id: 'W2', title: 'reads', performances }],
});

describe('the targets', () => {
  it('compare the gateway with a peer within each round', () => {
    const results = resultsOf(
      performance('plain', [100, 10, 100]),
      performance('rollgate', [110, 11, 70]),
    );
    const [target, stretch] = checkTargets(results, [10_000]);
    expect(target).toMatchObject({ kind: 'target', size: 10_000, value: 0.9, isMet: true });
    expect(target?.measured).toBeCloseTo(1.1);
    expect(target?.margin).toBeCloseTo(0.222, 3);
    expect(stretch).toMatchObject({ kind: 'stretch', value: 1.2, isMet: false });
  });

  it('ignore a server with a wrong response, which the report shows', () => {
    const wrong = { request: 'GET /Users/1', why: 'id is "2", not "1"' };
    const results = resultsOf(
      performance('plain', [100]),
      performance('rollgate', [110], { wrong }),
    );
    expect(checkTargets(results, [10_000])).toEqual([]);
    expect(tablesOf(results, []).join()).toContain('rollgate: × GET /Users/1: id is "2", not "1"');
  });
});

describe('the options', () => {
  it('expand W1 to all numbers of clients, but no other prefixes', () => {
    expect(readOptions(['w1'])?.workloads).toEqual(['W1-1', 'W1-8', 'W1-64']);
    expect(readOptions(['W3', '--size', '1k,10k'])).toMatchObject({
      workloads: ['W3'],
      sizes: [1_000, 10_000],
    });
    expect(() => readOptions(['W99'])).toThrow(UsageError);
  });
});

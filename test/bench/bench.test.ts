import { describe, expect, it } from 'vitest';
import { distribute, sendChecked } from '../../tools/bench/load/clients.js';
import { expectNewUser, expectUser, expectUsers } from '../../tools/bench/load/response-checks.js';
import { OPTIONS, optionsOf } from '../../tools/bench/options.js';
import { compareWithPeers } from '../../tools/bench/report/comparisons.js';
import { tablesOf } from '../../tools/bench/report/tables.js';
import type { Performance, Results } from '../../tools/bench/run/results.js';
import { PEER_NAMES, type PeerName } from '../../tools/bench/servers/start-server.js';
import { UsageError, type ValuesOf } from '../../tools/shared/faults/scenario.js';

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
      'id is undefined, not like /./',
    );
    expect(expectNewUser('ada')(response(201, ada))).toBe(
      'the number of emails is undefined, not 1',
    );
  });

  it('accept a page with exactly its users, in order, and the total', () => {
    const check = expectUsers({ total: 9, startIndex: 4, users: [ada, grace] });
    const page = { totalResults: 9, startIndex: 4, Resources: [ada, grace] };
    expect(check(response(200, page))).toBeUndefined();
    expect(check(response(200, { ...page, totalResults: 8 }))).toBe('totalResults is 8, not 9');
    expect(check(response(200, { ...page, startIndex: 1 }))).toBe('startIndex is 1, not 4');
    expect(check(response(200, { ...page, Resources: [ada] }))).toMatch(/number of Resources is 1/);
    expect(check(response(200, { ...page, Resources: [grace, ada] }))).toBe(
      'Resources[0].id is "2", not "1"',
    );
  });
});

describe('a missing response', () => {
  it('ends the run as a wrong one does', async () => {
    const nowhere = {
      target: { origin: 'http://127.0.0.1:1', base: '/', headers: {} },
      clients: 1,
    };
    const responses = distribute(nowhere, ['1'], (connection, path) =>
      sendChecked(connection, { method: 'GET', path, check: () => undefined }),
    );
    await expect(responses).rejects.toThrow(/ECONNREFUSED/);
  });
});

const performance = (peer: PeerName, rates: readonly number[]): Performance => ({
  ...{ peer, size: 10_000, label: peer },
  rounds: rates.map((rate) => ({ rate, p50: 8, p99: 20, cpu: 1, databaseCpu: 0.5, rss: 100 })),
});

it('the gateway is compared with a peer within each round', () => {
  const performances = [
    performance('plain', [100, 10, 100]),
    performance('rollgate', [110, 11, 70]),
  ];
  const results: Results = {
    ...{ starts: [], syncs: [], drains: [], connectors: [] },
    workloads: [{ id: 'W2', title: 'reads', performances }],
  };
  expect(compareWithPeers(results, PEER_NAMES, 10_000)).toMatchObject([
    { id: 'W2', peer: 'plain', ratios: [1.1, 1.1, 0.7], cpu: 1 },
  ]);
  expect(tablesOf(results).join()).toMatch(/rollgate +70.0 +11.0–110 +1.10/);
});

describe('the options', () => {
  const defaults = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, option]) => [name, option.default]),
  ) as ValuesOf<typeof OPTIONS>;

  it('expand W1 to all numbers of clients, but no other prefixes', () => {
    expect(optionsOf({ ...defaults, workloads: 'w1' }).workloads).toEqual([
      'W1-1',
      'W1-8',
      'W1-64',
    ]);
    expect(optionsOf({ ...defaults, workloads: 'W3', size: '1k,10k' })).toMatchObject({
      workloads: ['W3'],
      sizes: [1_000, 10_000],
    });
    expect(() => optionsOf({ ...defaults, workloads: 'W99' })).toThrow(UsageError);
  });
});

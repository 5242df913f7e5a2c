import { describe, expect, it } from 'vitest';
import { checkTargets } from '../../tools/bench/check-targets.js';
import { targetTable } from '../../tools/bench/report/other-tables.js';
import { syncTable } from '../../tools/bench/report/sync-table.js';
import { workloadTable } from '../../tools/bench/report/workload-table.js';
import type { Performance, Results, Round } from '../../tools/bench/run/results.js';
import type { PeerName } from '../../tools/bench/servers/tested-server.js';

const round = (rate: number, more: Partial<Round> = {}): Round => {
  return { rate, p50: 8, p99: 20, cpu: 1, databaseCpu: 0.5, rss: 100, ...more };
};

const performance = (
  peer: PeerName,
  rounds: readonly Round[],
  more: Partial<Performance> = {},
): Performance => ({ peer, size: 10_000, label: peer, rounds, ...more });

const sync = (wall: number, cpu: number, peak: number) => {
  return { wall, cpu, databaseCpu: 1, peak };
};

const resultsOf = (id: string, ...performances: readonly Performance[]): Results => {
  return {
    starts: [],
    directoryStarts: [],
    syncs: [],
    deliveries: [],
    drains: [],
    connectors: [],
    workloads: [{ id, title: 'workload', performances }],
  };
};

const SIZES = [10_000, 100_000];

describe('checkTargets', () => {
  it('compares the gateway with a peer within each round', () => {
    const results = resultsOf(
      'W2',
      performance('plain', [round(100), round(10), round(100)]),
      performance('rollgate', [round(110), round(11), round(70)]),
    );
    const [target, stretch] = checkTargets(results, SIZES);
    expect(target).toMatchObject({ kind: 'target', size: 10_000, value: 0.9, isMet: true });
    expect(target?.measured).toBeCloseTo(1.1);
    expect(target?.margin).toBeCloseTo(0.222, 3);
    expect(stretch).toMatchObject({ kind: 'stretch', value: 1.2, isMet: false });
    expect(stretch?.margin).toBeCloseTo(-0.083, 3);
  });

  it('supports upper bounds', () => {
    const results = resultsOf('W4', performance('rollgate', [round(9, { cpu: 12 })]));
    const [result] = checkTargets(results, SIZES);
    expect(result).toMatchObject({ claim: 'CPU ms a page', measured: 12, isMet: false });
    expect(result?.margin).toBeCloseTo(-0.2);
  });

  it('compares the gateway with many users with the gateway with few', () => {
    const results = resultsOf(
      'W3',
      performance('rollgate', [round(200)]),
      performance('rollgate', [round(190)], { size: 100_000, label: 'rollgate-100k' }),
    );
    expect(checkTargets(results, SIZES)).toEqual([
      expect.objectContaining({ size: 100_000, claim: 'rate ÷ at 10k users', measured: 0.95 }),
      expect.objectContaining({ size: 100_000, claim: 'p50 ÷ at 10k users', measured: 1 }),
    ]);
  });

  it('compares a large group with a small one within each round', () => {
    const small = performance('rollgate', [round(1, { p50: 4 }), round(1, { p50: 8 })]);
    const large = performance('rollgate', [round(1, { p50: 6 }), round(1, { p50: 12 })]);
    const workloads = [
      { id: 'W6-10', title: 'workload', performances: [small] },
      { id: 'W6-10k', title: 'workload', performances: [large] },
    ];
    expect(
      checkTargets(
        {
          starts: [],
          directoryStarts: [],
          syncs: [],
          deliveries: [],
          drains: [],
          connectors: [],
          workloads,
        },
        SIZES,
      ),
    ).toEqual([
      expect.objectContaining({ claim: 'p50 ÷ in a group of 10', measured: 1.5, isMet: false }),
    ]);
  });

  it('compares the time per operation of Bulks of different sizes', () => {
    const rounds = (p50: number) => [performance('rollgate', [round(1, { p50 })])];
    const workloads = [
      { id: 'W7-100', title: 'workload', performances: rounds(10) },
      { id: 'W7-1000', title: 'workload', performances: rounds(80) },
    ];
    expect(
      checkTargets(
        {
          starts: [],
          directoryStarts: [],
          syncs: [],
          deliveries: [],
          drains: [],
          connectors: [],
          workloads,
        },
        SIZES,
      ),
    ).toEqual([expect.objectContaining({ measured: 0.8, isMet: true })]);
  });

  it('checks first syncs of 10,000 users only', () => {
    const syncs = (users: number): Results['syncs'] => [
      { peer: 'plain', users, rounds: [sync(10, 5, 170), sync(20, 5, 170)] },
      { peer: 'rollgate', users, rounds: [sync(8, 13, 150), sync(12, 13, 150)] },
    ];
    const checked = (users: number) =>
      checkTargets({ ...resultsOf('none'), syncs: syncs(users) }, SIZES).map((result) => [
        result.claim,
        result.measured,
        result.isMet,
      ]);
    expect(checked(1_000)).toEqual([]);
    expect(checked(10_000)).toEqual([
      ['wall ÷ plain', expect.closeTo(0.7), true],
      ['CPU, s', 13, false],
      ['peak RSS, MB', 150, true],
    ]);
  });

  it('skips what was not measured or had a wrong response', () => {
    const wrong = { request: 'GET /Users/1', why: 'the status is 500, not 200' };
    const results = resultsOf(
      'W2',
      performance('plain', [round(100)]),
      performance('rollgate', [round(900)], { wrong }),
    );
    expect(checkTargets(results, SIZES)).toEqual([]);
  });

  it('checks starts, memory and deliveries once', () => {
    const starts = [
      { peer: 'plain' as const, startMs: [200, 400], idleRss: [80, 80] },
      { peer: 'rollgate' as const, startMs: [300, 600], idleRss: [90, 130] },
    ];
    const times = { p50: 4, p99: 200 };
    const deliveries = [
      { label: 'rollgate', events: 750, afterAnswer: times, afterRequest: times },
    ];
    const results = checkTargets(
      {
        starts,
        directoryStarts: [],
        syncs: [],
        deliveries,
        drains: [],
        connectors: [],
        workloads: [],
      },
      SIZES,
    );
    expect(results.map(({ measured, isMet }) => [measured, isMet])).toEqual([
      [1.5, true],
      [1.5, true],
      [110, true],
      [4, true],
      [4, false],
      [200, false],
    ]);
  });
});

describe('the report of a benchmark', () => {
  it('marks targets that are met, and margins within the noise', () => {
    const results = resultsOf(
      'W2',
      performance('plain', [round(100)]),
      performance('rollgate', [round(110)]),
    );
    const lines = targetTable(checkTargets(results, SIZES)).split('\n');
    expect(lines[1]).toMatch(/^✔ {2}W2 {8}10k {4}target +rate ÷ plain +1\.10 +≥ 0\.9 +\+22 %$/);
    expect(lines[2]).toMatch(/^✘ .*stretch.*≥ 1\.2 +−8 % {2}within the noise$/);
  });

  it('shows each server with its ratios, and a wrong response instead of numbers', () => {
    const wrong = { request: 'GET /Users/1', why: 'the status is 500, not 200', body: '{}' };
    const results = resultsOf(
      'W2',
      performance('floor', [round(200), round(300), round(1234)]),
      performance('plain', [round(100), round(150), round(617)]),
      performance('rollgate', [round(900)], { wrong }),
    );
    const [result] = results.workloads;
    const table = workloadTable(results, result!);
    expect(table).toMatch(
      /^floor +300 +200–1234 +1\.00 +2\.00 +1\.00 +0\.500 +8\.00 +20\.0 +100$/m,
    );
    expect(table).toMatch(/^plain +150 +100–617 +0\.500 +1\.00/m);
    expect(table).toContain('rollgate: × GET /Users/1: the status is 500, not 200\n  {}\n');
  });

  it('shows first syncs with the ratios of their wall times', () => {
    const wrong = { request: 'PATCH /Groups/1', why: 'the status is 500, not 204' };
    const table = syncTable([
      { peer: 'floor', users: 10_000, rounds: [sync(8, 5, 105), sync(10, 5, 105)] },
      { peer: 'plain', users: 10_000, rounds: [sync(12, 12, 170), sync(15, 12, 170)] },
      { peer: 'rollgate', users: 10_000, rounds: [], wrong },
    ]);
    expect(table).toMatch(/^W8 {2}first sync of 10k users and their groups of 100, 8 clients$/m);
    expect(table).toMatch(/^plain +13\.5 +12\.0–15\.0 +1\.50 +1\.00 +12\.0 +1\.00 +170$/m);
    expect(table).toContain('rollgate: × PATCH /Groups/1: the status is 500, not 204\n');
  });
});

import { describe, expect, it } from 'vitest';
import { readOptions, UsageError } from '../../tools/bench/options.js';

describe('the options of the benchmark', () => {
  it('default to five rounds of all workloads with 10,000 users', () => {
    expect(readOptions([])).toMatchObject({
      peers: ['floor', 'plain', 'rollgate'],
      workloads: [
        ...[
          'W9',
          'W8',
          'W2',
          'W3',
          'W3x',
          'W3e',
          'W3t',
          'W3d',
          'W4',
          'W5',
          'W2g',
          'W3g',
          'W5g',
          'W10',
          'W10f',
        ],
        ...['W6-10', 'W6-10k', 'W1-1', 'W1-8', 'W1-64', 'W7-100', 'W7-1000', 'webhooks'],
        'webhooks-drain',
        'connectors',
      ],
      rounds: 5,
      sizes: [10_000],
      syncUsers: 10_000,
      backlog: 20_000,
      employees: [50_000],
      webhook: true,
      build: true,
    });
  });

  it('expand W1 to all numbers of clients, but no other prefixes', () => {
    expect(readOptions(['--workloads', 'w1,W3'])?.workloads).toEqual([
      'W1-1',
      'W1-8',
      'W1-64',
      'W3',
    ]);
    expect(readOptions(['--workloads', 'W6'])?.workloads).toEqual(['W6-10', 'W6-10k']);
    expect(() => readOptions(['--workloads', 'W'])).toThrow(UsageError);
  });

  it('accept workloads as arguments, and webhooks for both webhook workloads', () => {
    expect(readOptions(['webhooks'])?.workloads).toEqual(['webhooks', 'webhooks-drain']);
    expect(readOptions(['webhooks-drain', 'w2', '--quick'])?.workloads).toEqual([
      'webhooks-drain',
      'W2',
    ]);
    expect(readOptions(['W2', '--workloads', 'W2,W3'])?.workloads).toEqual(['W2', 'W3']);
    expect(() => readOptions(['webhook'])).toThrow(UsageError);
  });

  it('read sizes in thousands', () => {
    expect(readOptions(['--size', '10k,100K,2500'])?.sizes).toEqual([10_000, 100_000, 2_500]);
  });

  it.each(['0', '10m', '-1k', 'many', '999'])('refuse the size %s', (size) => {
    expect(() => readOptions([`--size=${size}`])).toThrow(/is not a size/);
  });

  it('override the pace of --quick', () => {
    expect(readOptions(['--quick', '--rounds', '3'])).toMatchObject({ rounds: 3, seconds: 1 });
    expect(readOptions(['--quick', '--backlog', '5k'])).toMatchObject({ backlog: 5_000 });
  });

  it('profile the gateway unless a peer is given', () => {
    expect(readOptions(['--profile', 'w3'])).toMatchObject({ profile: 'W3', peers: ['rollgate'] });
    expect(readOptions(['--profile', 'W3', '--peers', 'plain'])?.peers).toEqual(['plain']);
    expect(readOptions(['--profile', 'w6-10K'])).toMatchObject({ profile: 'W6-10k' });
    expect(readOptions(['--profile', 'w8'])).toMatchObject({ profile: 'W8' });
  });

  it.each(['W1', 'W6', 'W9', 'webhooks', 'W77'])(
    'refuse a profile of %s, which is not one workload',
    (name) => {
      expect(() => readOptions(['--profile', name])).toThrow(/--profile needs one workload/);
    },
  );

  it.each(['--rounds=0', '--seconds=x', '--peers=jackson', '--wat'])('refuse %s', (argument) => {
    expect(() => readOptions([argument])).toThrow(UsageError);
  });

  it('are undefined with --help', () => {
    expect(readOptions(['--help'])).toBeUndefined();
  });
});

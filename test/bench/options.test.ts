import { describe, expect, it } from 'vitest';
import { readOptions, UsageError } from '../../bench/options.js';

describe('the options of the benchmark', () => {
  it('are five rounds of everything in a directory of 10,000 users', () => {
    expect(readOptions([])).toMatchObject({
      peers: ['floor', 'plain', 'rollgate'],
      workloads: ['W9', 'W2', 'W3', 'W4', 'W5', 'W1-1', 'W1-8', 'W1-64', 'webhooks'],
      rounds: 5,
      sizes: [10_000],
      webhook: true,
      build: true,
    });
  });

  it('take W1 for all numbers of clients, and no name for the beginning of another', () => {
    expect(readOptions(['--workloads', 'w1,W3'])?.workloads).toEqual([
      'W1-1',
      'W1-8',
      'W1-64',
      'W3',
    ]);
    expect(() => readOptions(['--workloads', 'W'])).toThrow(UsageError);
  });

  it('read sizes in thousands', () => {
    expect(readOptions(['--size', '10k,100K,2500'])?.sizes).toEqual([10_000, 100_000, 2_500]);
  });

  it.each(['0', '10m', '-1k', 'many', '999'])('refuse the size %s', (size) => {
    expect(() => readOptions([`--size=${size}`])).toThrow(/is no size/);
  });

  it('let a quick run be made longer', () => {
    expect(readOptions(['--quick', '--rounds', '3'])).toMatchObject({ rounds: 3, seconds: 1 });
  });

  it('profile the gateway unless another peer is named', () => {
    expect(readOptions(['--profile', 'w3'])).toMatchObject({ profile: 'W3', peers: ['rollgate'] });
    expect(readOptions(['--profile', 'W3', '--peers', 'plain'])?.peers).toEqual(['plain']);
  });

  it.each(['W1', 'W9', 'webhooks', 'W77'])('refuse a profile of %s, which is not one', (name) => {
    expect(() => readOptions(['--profile', name])).toThrow(/A profile is of one workload/);
  });

  it.each(['--rounds=0', '--seconds=x', '--peers=jackson', '--wat'])('refuse %s', (argument) => {
    expect(() => readOptions([argument])).toThrow(UsageError);
  });

  it('are none where help is asked for', () => {
    expect(readOptions(['--help'])).toBeUndefined();
  });
});

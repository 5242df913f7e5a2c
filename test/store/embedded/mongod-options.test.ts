import { describe, expect, it } from 'vitest';
import { mongodOptions } from '../../../src/store/embedded/mongod-settings.js';

const GIGABYTE = 1024 ** 3;

const cacheOf = (memory: number): string | undefined => {
  const options = mongodOptions(memory);
  return options[options.indexOf('--wiredTigerCacheSizeGB') + 1];
};

describe('the cache of the embedded mongod', () => {
  it.each([
    [4, '1.00'],
    [2, '0.50'],
    [0.5, '0.25'],
    [64, '2.00'],
  ])('on a machine with %d GB has %s GB', (gigabytes, expected) => {
    expect(cacheOf(gigabytes * GIGABYTE)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { median, quantile, ratioOf, spreadOf } from '../../tools/shared/statistics.js';

describe('the statistics', () => {
  it('take the middle of an odd number of values, in any order', () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it('take the mean of the two middle values of an even number', () => {
    expect(median([10, 1, 2, 20])).toBe(6);
  });

  it('interpolate a quantile', () => {
    expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
    expect(quantile([3], 0.99)).toBe(3);
  });

  it('have no median without values', () => {
    expect(median([])).toBeNaN();
  });

  it('return the range', () => {
    expect(spreadOf([4, 2, 8])).toEqual({ median: 4, min: 2, max: 8 });
  });

  it('compare two series round by round', () => {
    const gateway = [100, 10, 50];
    const peer = [50, 5, 100];
    expect(ratioOf(gateway, peer)).toEqual({ median: 2, min: 0.5, max: 2 });
  });

  it('compare only the rounds that both have', () => {
    expect(ratioOf([6, 9], [3]).median).toBe(2);
  });
});

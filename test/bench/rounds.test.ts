import { describe, expect, it } from 'vitest';
import { rotate } from '../../tools/bench/run/rotate.js';
import { groupByFamily, WORKLOADS } from '../../tools/bench/workloads.js';

describe('the rounds of a benchmark', () => {
  it('start with another server each time', () => {
    const rounds = [0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''));
    expect(rounds).toEqual(['abc', 'bca', 'cab', 'abc']);
  });

  it('are shared by the workloads of a family', () => {
    const families = groupByFamily(WORKLOADS).map((family) => family.map(({ id }) => id).join());
    expect(families).toContain('W6-10,W6-10k');
    expect(families).toContain('W7-100,W7-1000');
    expect(families).toContain('W3');
    expect(families.join().split(',')).toEqual(WORKLOADS.map(({ id }) => id));
  });
});

import { describe, expect, it } from 'vitest';
import { createNeighbours } from '../../src/pipeline/neighbours.js';

describe('a lane', () => {
  /** Whether each of these lanes, seen at these milliseconds, has a neighbour then. */
  const meetings = (...seen: readonly (readonly [lane: string, at: number])[]) => {
    let time = 0;
    const neighbours = createNeighbours(() => time);
    return seen.map(([lane, at]) => {
      time = at;
      return neighbours.meet(lane);
    });
  };

  it('has no neighbours while it is the only one', () => {
    expect(meetings(['a', 0], ['a', 1], ['a', 5_000])).toEqual([false, false, false]);
  });

  it('has one as soon as another ran, and for a second after', () => {
    expect(meetings(['a', 0], ['b', 10], ['a', 20], ['a', 1_010], ['a', 1_011])).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('forgets none of two that take turns', () => {
    expect(meetings(['a', 0], ['b', 900], ['a', 1_800], ['b', 2_700])).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});

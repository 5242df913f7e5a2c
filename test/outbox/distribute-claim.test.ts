import { describe, expect, it } from 'vitest';
import { type Claimable, distributeClaim } from '../../src/outbox/distribute-claim.js';

const row = (id: string, key = 'alpha'): Claimable => ({ id, key });
const span = (id: string, left: number, key = 'alpha'): Claimable => ({ id, key, left });

const share = (
  oldestFirst: readonly Claimable[],
  more: Partial<Parameters<typeof distributeClaim>[1]> = {},
) => {
  const limits = { limit: 8, more: 0, share: 4, capacity: new Map<string, number>(), ...more };
  const { events, crowded } = distributeClaim(oldestFirst, limits);
  return { events: Object.fromEntries(events), crowded: [...crowded] };
};

describe('shareOut', () => {
  it('counts each event of a span', () => {
    const due = [span('one', 100), row('two', 'beta'), span('three', 2, 'gamma')];
    expect(share(due)).toEqual({ events: { one: 5, two: 1, three: 2 }, crowded: ['alpha'] });
  });

  it('takes no more of a span than the capacity of its key', () => {
    const capacity = new Map([
      ['alpha', 3],
      ['beta', 0],
    ]);
    const due = [span('one', 100), span('two', 100, 'beta')];
    const { events, crowded } = share(due, { capacity, more: 100 });
    expect(events).toEqual({ one: 3 });
    expect(crowded).toEqual(['alpha', 'beta']);
  });

  it('takes more of the chosen spans, evenly, up to their remaining events', () => {
    const due = [span('one', 100), span('two', 6, 'beta'), row('three', 'gamma')];
    const capacity = new Map([['alpha', 50]]);
    expect(share(due, { limit: 9, more: 20, capacity }).events).toEqual({
      one: 14,
      two: 6,
      three: 1,
    });
  });

  it('takes due rows of a key before its span', () => {
    const due = [span('old', 100), row('other', 'beta'), row('back'), row('again')];
    expect(share(due, { limit: 4, share: 3 }).events).toEqual({
      back: 1,
      again: 1,
      old: 1,
      other: 1,
    });
    expect(share(due, { limit: 2, share: 2 }).events).toEqual({ back: 1, again: 1 });
  });
});

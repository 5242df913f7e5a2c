import { describe, expect, it } from 'vitest';
import { createFixedWindowRateLimiter } from '../../src/http/access/refuse-credentials.js';

const at = (limit: number, capacity?: number) => {
  const clock = { now: 120_000 };
  const limiter = createFixedWindowRateLimiter({
    limit,
    windowMs: 60_000,
    now: () => clock.now,
    ...(capacity !== undefined && { capacity }),
  });
  return { clock, take: limiter.take };
};

describe('the fixed-window rate limiter', () => {
  it('allows exactly the limit in a window, and returns what is left', () => {
    const { take, clock } = at(3);
    clock.now += 15_500;
    expect([1, 2, 3, 4].map(() => take('a'))).toEqual([
      { allowed: true, limit: 3, remaining: 2, resetSeconds: 45 },
      { allowed: true, limit: 3, remaining: 1, resetSeconds: 45 },
      { allowed: true, limit: 3, remaining: 0, resetSeconds: 45 },
      { allowed: false, limit: 3, remaining: 0, resetSeconds: 45 },
    ]);
  });

  it('starts again with the next window, to the millisecond', () => {
    const { take, clock } = at(1);
    take('a');
    clock.now = 179_999;
    expect(take('a')).toMatchObject({ allowed: false, resetSeconds: 1 });
    clock.now = 180_000;
    expect(take('a')).toMatchObject({ allowed: true, resetSeconds: 60 });
  });

  it('counts each key separately', () => {
    const { take } = at(1);
    take('a');
    expect(take('b').allowed).toBe(true);
    expect(take('a').allowed).toBe(false);
  });

  it('does not lock clients out for long when the clock is set back', () => {
    const { take, clock } = at(1);
    take('a');
    clock.now = 1_000;
    expect(take('a')).toMatchObject({ allowed: true, resetSeconds: 59 });
  });

  it('drops the oldest key at its capacity', () => {
    const { take } = at(1, 2);
    for (const key of ['a', 'b', 'c']) take(key);
    expect(take('c').allowed).toBe(false);
    expect(take('a').allowed).toBe(true);
  });
});

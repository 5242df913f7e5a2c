import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../../src/domain/kernel/refusals.js';
import { createBodyBudget, LARGE_BODY } from '../../../src/http/json/body-intake.js';

const KIB = 1024;
const LIMITS = { perKey: 1_000 * KIB, overall: 2_000 * KIB };

const refusalOf = (work: () => void) => {
  try {
    work();
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  return undefined;
};

describe('the body budget', () => {
  it('lets large bodies of a key use three quarters of its limit, and keeps the rest for small ones', () => {
    const budget = createBodyBudget(LIMITS);
    budget.open('a').growTo(700 * KIB);
    const large = refusalOf(() => budget.open('a').growTo(100 * KIB));
    expect(large).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
    expect(large?.message).toContain('This client');
    budget.open('a').growTo(LARGE_BODY);
    budget.open('b').growTo(100 * KIB);
  });

  it('refuses large bodies beyond the overall limit, but still accepts small ones', () => {
    const budget = createBodyBudget(LIMITS);
    budget.open('a').growTo(750 * KIB);
    budget.open('b').growTo(750 * KIB);
    const refused = refusalOf(() => budget.open('c').growTo(100 * KIB));
    expect(refused?.message).toContain('The gateway');
    for (let small = 0; small < 7; small += 1) budget.open('c').growTo(LARGE_BODY);
    expect(refusalOf(() => budget.open('c').growTo(LARGE_BODY))).toBeDefined();
  });

  it('reuses released memory, once, and counts only the growth of a reservation', () => {
    const budget = createBodyBudget(LIMITS);
    const share = budget.open('a');
    share.growTo(400 * KIB);
    share.growTo(700 * KIB);
    share.growTo(10);
    expect(budget.reservedBytes()).toBe(700 * KIB);
    share.release();
    share.release();
    expect(budget.reservedBytes()).toBe(0);
    budget.open('a').growTo(750 * KIB);
  });

  it('keeps a reservation if its growth is refused', () => {
    const budget = createBodyBudget(LIMITS);
    const share = budget.open('a');
    share.growTo(700 * KIB);
    expect(refusalOf(() => share.growTo(800 * KIB))).toBeDefined();
    expect(budget.reservedBytes()).toBe(700 * KIB);
    share.release();
    expect(budget.reservedBytes()).toBe(0);
  });
});

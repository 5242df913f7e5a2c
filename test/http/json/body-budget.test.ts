import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../../src/domain/refusals.js';
import { createBodyBudget, LARGE_BODY } from '../../../src/http/json/body-budget.js';

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

describe('the budget of bodies', () => {
  it('gives a key three quarters of its part for large bodies, and the rest for small ones', () => {
    const budget = createBodyBudget(LIMITS);
    budget.open('a').growTo(700 * KIB);
    const large = refusalOf(() => budget.open('a').growTo(100 * KIB));
    expect(large).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
    expect(large?.message).toContain('This key');
    budget.open('a').growTo(LARGE_BODY);
    budget.open('b').growTo(100 * KIB);
  });

  it('is full for large bodies of all keys together, and still takes small ones', () => {
    const budget = createBodyBudget(LIMITS);
    budget.open('a').growTo(750 * KIB);
    budget.open('b').growTo(750 * KIB);
    const refused = refusalOf(() => budget.open('c').growTo(100 * KIB));
    expect(refused?.message).toContain('The gateway');
    for (let small = 0; small < 7; small += 1) budget.open('c').growTo(LARGE_BODY);
    expect(refusalOf(() => budget.open('c').growTo(LARGE_BODY))).toBeDefined();
  });

  it('takes what is released again, once, and what grows only by what is new', () => {
    const budget = createBodyBudget(LIMITS);
    const share = budget.open('a');
    share.growTo(400 * KIB);
    share.growTo(700 * KIB);
    share.growTo(10);
    expect(budget.taken()).toBe(700 * KIB);
    share.release();
    share.release();
    expect(budget.taken()).toBe(0);
    budget.open('a').growTo(750 * KIB);
  });

  it('keeps what was taken where more is refused', () => {
    const budget = createBodyBudget(LIMITS);
    const share = budget.open('a');
    share.growTo(700 * KIB);
    expect(refusalOf(() => share.growTo(800 * KIB))).toBeDefined();
    expect(budget.taken()).toBe(700 * KIB);
    share.release();
    expect(budget.taken()).toBe(0);
  });
});

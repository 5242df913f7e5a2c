import { beforeEach, expect, it } from 'vitest';
import { createServerClock, type ServerClock } from '../../src/store/instances.js';

const TEN = Date.UTC(2026, 10, 21, 10);
let monotonic: number;
let clock: ServerClock;
beforeEach(() => {
  monotonic = 5_000;
  clock = createServerClock(() => monotonic);
  clock.set(new Date(TEN), monotonic);
});

const now = (): number => clock.now().getTime() - TEN;

it('advances between two readings', () => {
  expect(now()).toBe(0);
  monotonic += 700;
  expect(now()).toBe(700);
});

it('follows the server forward at once', () => {
  clock.set(new Date(TEN + 3_000), monotonic);
  expect(now()).toBe(3_000);
});

it('stands still rather than going back after an earlier reading', () => {
  monotonic += 1_000;
  expect(now()).toBe(1_000);
  clock.set(new Date(TEN + 400), monotonic);
  expect(now()).toBe(1_000);
  monotonic += 500;
  expect(now()).toBe(1_000);
  monotonic += 200;
  expect(now()).toBe(1_100);
});

it('follows a server’s clock that was set back far', () => {
  monotonic += 1_000;
  expect(now()).toBe(1_000);
  clock.set(new Date(TEN - 3_600_000), monotonic);
  expect(now()).toBe(-3_600_000);
  monotonic += 10;
  expect(now()).toBe(-3_599_990);
});

import { beforeEach, expect, it } from 'vitest';
import { createServerClock, type ServerClock } from '../../src/store/server-clock.js';

const TEN = Date.UTC(2026, 10, 21, 10);
let steady: number;
let clock: ServerClock;
beforeEach(() => {
  steady = 5_000;
  clock = createServerClock(() => steady);
  clock.set(new Date(TEN), steady);
});

const now = (): number => clock.now().getTime() - TEN;

it('carries the server’s time on between two answers', () => {
  expect(now()).toBe(0);
  steady += 700;
  expect(now()).toBe(700);
});

it('follows the server forward at once', () => {
  clock.set(new Date(TEN + 3_000), steady);
  expect(now()).toBe(3_000);
});

it('waits rather than going back, where another answer says less', () => {
  steady += 1_000;
  expect(now()).toBe(1_000);
  clock.set(new Date(TEN + 400), steady);
  expect(now()).toBe(1_000);
  steady += 500;
  expect(now()).toBe(1_000);
  steady += 200;
  expect(now()).toBe(1_100);
});

it('follows a server’s clock that was set back by long', () => {
  steady += 1_000;
  expect(now()).toBe(1_000);
  clock.set(new Date(TEN - 3_600_000), steady);
  expect(now()).toBe(-3_600_000);
  steady += 10;
  expect(now()).toBe(-3_599_990);
});

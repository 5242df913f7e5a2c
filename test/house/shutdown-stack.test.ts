import { expect, it } from 'vitest';
import type { Logger } from 'pino';
import { ShutdownStack } from '../../src/start/shutdown-stack.js';

it('one grace period is for all parts that stop, whatever the first ones take', async () => {
  const shutdown = new ShutdownStack();
  const given: number[] = [];
  shutdown.add((graceMs) => given.push(graceMs));
  shutdown.add(async (graceMs) => {
    given.push(graceMs);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 20) await Promise.resolve();
  });
  await shutdown.run({ error: expect.unreachable } as unknown as Logger, 5_000);
  const [first = 0, second = 0] = given;
  expect(first).toBeGreaterThan(4_000);
  expect(second).toBeGreaterThan(0);
  expect(first - second).toBeGreaterThanOrEqual(20);
});

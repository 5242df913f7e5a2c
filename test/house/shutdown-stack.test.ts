import { expect, it, onTestFinished, vi } from 'vitest';
import type { Logger } from 'pino';
import { ShutdownStack } from '../../src/start/shutdown-stack.js';

it('one grace period is for all parts that stop, whatever the first ones take', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const shutdown = new ShutdownStack();
  const given: number[] = [];
  shutdown.add((graceMs) => given.push(graceMs));
  shutdown.add((graceMs) => {
    given.push(graceMs);
    now = 20;
  });
  await shutdown.run({ error: expect.unreachable } as unknown as Logger, 5_000);
  expect(given).toEqual([5_000, 4_980]);
});

import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the condition holds; rejects with this message after a minute, by default. */
export const waitUntil = async (
  condition: () => boolean | Promise<boolean>,
  message: () => string,
  { pollMs = 5, timeoutMs = 60_000 } = {},
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(message());
    await sleep(pollMs);
  }
};

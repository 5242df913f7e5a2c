import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 5;
const TIMEOUT_MS = 60_000;

/** Resolves when the condition holds; rejects with this message after a minute. */
export const waitUntil = async (
  condition: () => boolean | Promise<boolean>,
  message: () => string,
): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(message());
    await sleep(POLL_MS);
  }
};

import type { Log } from '../api/log.js';

interface Regularity {
  readonly everyMs: number;
  /** What cannot be done, for the log. */
  readonly failure: string;
  readonly log: Log;
}

/**
 * Runs a task now and regularly, one run at a time; a failure is logged, and the next run tries
 * again. Returns a function that stops and waits for the last run, whose signal it aborts.
 */
export const runRegularly = (
  task: (signal: AbortSignal) => Promise<void>,
  { everyMs, failure, log }: Regularity,
): (() => Promise<void>) => {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= task(stopping.signal)
      .catch((error: unknown) => {
        log.warn({ err: error }, `${failure}; will retry`);
      })
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
};

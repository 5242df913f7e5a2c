/** Whether this instance can serve: the database responds and the plugins have started. */
export type Readiness = () => Promise<boolean>;

const CACHED_MS = 1000;
const TIMEOUT_MS = 1000;

const withTimeout = (check: Readiness): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), TIMEOUT_MS);
    check().then(
      (ready) => {
        clearTimeout(timer);
        resolve(ready);
      },
      () => {
        clearTimeout(timer);
        resolve(false);
      },
    );
  });

/**
 * Checks at most once per second, regardless of the number of probes. A late or failed check counts
 * as not ready.
 */
export const cacheReadiness = (check: Readiness, now: () => number): Readiness => {
  let last = { at: -Infinity, result: Promise.resolve(false) };
  return () => {
    if (now() - last.at >= CACHED_MS) last = { at: now(), result: withTimeout(check) };
    return last.result;
  };
};

/** Whether this instance can do its work now: the database answers, the plugins have started. */
export type Readiness = () => Promise<boolean>;

const CACHED_MS = 1000;
const PATIENCE_MS = 1000;

const withinPatience = (check: Readiness): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
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
 * Asks at most once a second however many probes come, and takes an answer that is late or fails
 * for a no.
 */
export const cacheReadiness = (check: Readiness, now: () => number): Readiness => {
  let asked = { at: -Infinity, answer: Promise.resolve(false) };
  return () => {
    if (now() - asked.at >= CACHED_MS) asked = { at: now(), answer: withinPatience(check) };
    return asked.answer;
  };
};

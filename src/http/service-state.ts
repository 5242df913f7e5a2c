/**
 * - `starting`: the port is open, but requests are refused with 503.
 * - `draining`: `/readyz` returns 503, so that the load balancer sends new requests to another
 *   instance; requests are still served.
 * - `stopping`: requests in progress are completed, new ones are refused with 503.
 */
type Phase = 'starting' | 'serving' | 'draining' | 'stopping';

export interface ServiceState {
  readonly phase: () => Phase;
  readonly serve: () => void;
  readonly drain: () => void;
  readonly stop: () => void;
  /** Drains because of a failure; `/readyz` returns the reason. */
  readonly fail: (reason: string) => void;
  readonly failure: () => string | undefined;
  /** Aborted when the gateway starts to drain or stop. */
  readonly drainSignal: AbortSignal;
}

export const createServiceState = (initial: Phase = 'serving'): ServiceState => {
  let phase = initial;
  let failure: string | undefined;
  const draining = new AbortController();
  const drain = (): void => {
    if (phase !== 'stopping') phase = 'draining';
    draining.abort();
  };
  return {
    phase: () => phase,
    serve: () => {
      if (phase === 'starting') phase = 'serving';
    },
    drain,
    fail: (reason) => {
      failure = reason;
      drain();
    },
    failure: () => failure,
    stop: () => {
      phase = 'stopping';
      draining.abort();
    },
    drainSignal: draining.signal,
  };
};

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

/**
 * - `starting`: the port is open, but requests are refused with 503.
 * - `draining`: `/readyz` returns 503, so that the load balancer sends new requests to another
 *   instance; requests are still served.
 * - `stopping`: requests in progress are completed, new ones are refused with 503.
 */
export type Phase = 'starting' | 'serving' | 'draining' | 'stopping';

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

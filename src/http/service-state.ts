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
  /** Aborted when the gateway starts to drain or stop. */
  readonly drainSignal: AbortSignal;
}

export const createServiceState = (initial: Phase = 'serving'): ServiceState => {
  let phase = initial;
  const draining = new AbortController();
  return {
    phase: () => phase,
    serve: () => {
      if (phase === 'starting') phase = 'serving';
    },
    drain: () => {
      if (phase !== 'stopping') phase = 'draining';
      draining.abort();
    },
    stop: () => {
      phase = 'stopping';
      draining.abort();
    },
    drainSignal: draining.signal,
  };
};

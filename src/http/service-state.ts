/**
 * Where the gateway stands in its life. `draining`: `/readyz` says no, so that the balancer sends
 * its requests elsewhere, but all are still served. `stopping`: what is under way is finished, what
 * is new is refused with 503.
 */
export type Phase = 'serving' | 'draining' | 'stopping';

export interface ServiceState {
  readonly phase: () => Phase;
  readonly drain: () => void;
  readonly stop: () => void;
  /** Aborts when the gateway begins to drain or stop: what only waits must end. */
  readonly leaving: AbortSignal;
}

export const makeServiceState = (): ServiceState => {
  let phase: Phase = 'serving';
  const leaving = new AbortController();
  return {
    phase: () => phase,
    drain: () => {
      if (phase === 'serving') phase = 'draining';
      leaving.abort();
    },
    stop: () => {
      phase = 'stopping';
      leaving.abort();
    },
    leaving: leaving.signal,
  };
};

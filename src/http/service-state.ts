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
}

export const makeServiceState = (): ServiceState => {
  let phase: Phase = 'serving';
  return {
    phase: () => phase,
    drain: () => {
      if (phase === 'serving') phase = 'draining';
    },
    stop: () => {
      phase = 'stopping';
    },
  };
};

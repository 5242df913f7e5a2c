/**
 * Stops sending to a key that fails again and again: after so many failures in a row it opens; when
 * its time is over it lets one attempt through, and that one decides.
 */
export interface CircuitBreaker {
  /** How many attempts may be in flight at this time: none while open, one when it may try, else any. */
  readonly capacity: (now: number) => number;
  readonly isClosed: () => boolean;
  /** Returns whether this closed it. */
  readonly succeeded: () => boolean;
  /** Returns whether this opened it. */
  readonly failed: (now: number) => boolean;
}

export const createCircuitBreaker = (limits: {
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
}): CircuitBreaker => {
  let failures = 0;
  let openUntil: number | undefined;
  return {
    capacity: (now) => (openUntil === undefined ? Infinity : now < openUntil ? 0 : 1),
    isClosed: () => openUntil === undefined,
    succeeded: () => {
      const closes = openUntil !== undefined;
      failures = 0;
      openUntil = undefined;
      return closes;
    },
    failed: (now) => {
      failures += 1;
      // Attempts that were in flight when it opened say nothing new.
      if (failures < limits.breakerFailures || now < (openUntil ?? now)) return false;
      openUntil = now + limits.breakerOpenMs;
      return true;
    },
  };
};

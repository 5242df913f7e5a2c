/** Limits and intervals of the event stream (decisions.md 7). */
export interface StreamLimits {
  /** Attempts in flight over all keys. */
  readonly maxAttempts: number;
  /**
   * Attempts in flight, or ended with a result or position that is not written: at most this many are
   * repeated after a crash.
   */
  readonly maxUnsettled: number;
  /** Slots reserved for keys with none in flight: slow keys never fill them all. */
  readonly slotsForIdleKeys: number;
  /**
   * A tenant may have this many times as many in flight as are free: some stay free for others,
   * regardless of how many keys and tenants are slow.
   */
  readonly shareOfFree: number;
  /** Events that one key reads ahead… */
  readonly readAhead: number;
  /** …and all keys together; beyond, each reads only a few. */
  readonly maxQueued: number;
  /** Interval between deliveries of a backlog while the gateway is busy with commands. */
  readonly throttleMs: number;
  /** An attempt needs subscriptions that were read this recently (decisions.md 7). */
  readonly freshMs: number;
  /** Results are written after this time, or when so many wait. */
  readonly writeMs: number;
  readonly writeResults: number;
  /** Between two rounds: retries, partitions, paused keys. */
  readonly roundMs: number;
  /** How long a tenant without events stays in memory. */
  readonly idleMs: number;
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** How long an attempt may take before it is aborted… */
  readonly attemptMs: number;
  /** …and to end after that. */
  readonly abortGraceMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  maxAttempts: 64,
  maxUnsettled: 256,
  slotsForIdleKeys: 16,
  shareOfFree: 7,
  readAhead: 256,
  maxQueued: 4_096,
  throttleMs: 4,
  freshMs: 1_000,
  writeMs: 50,
  writeResults: 64,
  roundMs: 1_000,
  idleMs: 60_000,
  breakerFailures: 5,
  breakerOpenMs: 30_000,
  attemptMs: 55_000,
  abortGraceMs: 1_000,
};

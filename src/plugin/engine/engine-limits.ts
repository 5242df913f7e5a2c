/** The numbers that the engine lives by (decisions.md 7). */
export interface EngineLimits {
  /** How long an instance holds a row: far above any clock skew, and above wait plus attempt. */
  readonly leaseMs: number;
  /** An attempt is broken off so long before its lease ends. */
  readonly leaseMarginMs: number;
  /** Rows in the memory of an instance; all others wait in the database. */
  readonly maxHeld: number;
  /** Of which one key may hold at most so many… */
  readonly maxHeldPerKey: number;
  /** …and no more than it can be expected to take in this time, so that slow ones hold few. */
  readonly lookaheadMs: number;
  /** Attempts under way over all keys. */
  readonly maxAttempts: number;
  /**
   * Attempts over all keys whose end is not written: under way, or ended and not acknowledged yet.
   * At most so many are repeated after a crash. Room enough for what ends while a write is under
   * way: with 64 in all, and endings written sooner for it, a drain to twenty took half as long again
   * to twice as long as with 64 under way.
   */
  readonly maxUnacknowledged: number;
  /** Of which so many are for keys that have none under way: slow keys never fill them all. */
  readonly slotsForIdleKeys: number;
  /**
   * A tenant may have so many times as many under way as are free: some stay free for the others,
   * however many of its keys are slow, and however many tenants have such keys.
   */
  readonly shareOfFree: number;
  /** While the instance is busy with commands, what was left for later is sent so long after each other. */
  readonly throttleMs: number;
  /** How long the answer to "is this key still served?" may be trusted (decisions.md 7: 1 s). */
  readonly servingCacheMs: number;
  /** Acknowledgements are written after this time… */
  readonly acknowledgeMs: number;
  /** …or when one key has so many, or none can start before they are. */
  readonly acknowledgeRows: number;
  /** Of the events of one batch that a key is owed and nobody holds, more than so many are a span. */
  readonly maxRowsPerKey: number;
  /** What a batch may add to its transaction; where it owes more, keys that are owed most get spans. */
  readonly maxRowsPerBatch: number;
  /** Between two looks for due rows, ±20 %. */
  readonly sweepMs: number;
  /** Between two looks where rows are known to wait. */
  readonly urgentSweepMs: number;
  readonly maxPauseMs: number;
  /** How long it is remembered how fast a key is. */
  readonly idleKeyTtlMs: number;
  readonly claimRows: number;
  /** Events more, of spans. */
  readonly claimSpanEvents: number;
  /** Of one key, where other keys have due rows too. */
  readonly claimShare: number;
  /** When a row that has to let an earlier one pass looks again. */
  readonly outOfOrderRetryMs: number;
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** A row whose breaker stayed open for the length of the schedule is given up; at least after: */
  readonly minGiveUpMs: number;
  /** Between two tries of a question that the database did not answer. */
  readonly queryRetryMs: number;
  /** How long `stop` waits for attempts under way before it breaks them off, */
  readonly stopMs: number;
  /** and how long an attempt that was broken off has to end. */
  readonly abortGraceMs: number;
}

export const ENGINE_LIMITS: EngineLimits = {
  leaseMs: 60_000,
  leaseMarginMs: 5_000,
  maxHeld: 1_000,
  maxHeldPerKey: 250,
  lookaheadMs: 5_000,
  maxAttempts: 64,
  maxUnacknowledged: 256,
  slotsForIdleKeys: 16,
  shareOfFree: 7,
  throttleMs: 4,
  servingCacheMs: 1_000,
  acknowledgeMs: 50,
  acknowledgeRows: 8,
  maxRowsPerKey: 50,
  maxRowsPerBatch: 2_000,
  sweepMs: 1_000,
  urgentSweepMs: 50,
  maxPauseMs: 30_000,
  idleKeyTtlMs: 600_000,
  claimRows: 64,
  claimSpanEvents: 256,
  claimShare: 16,
  outOfOrderRetryMs: 250,
  breakerFailures: 5,
  breakerOpenMs: 30_000,
  minGiveUpMs: 3_600_000,
  queryRetryMs: 250,
  stopMs: 10_000,
  abortGraceMs: 1_000,
};

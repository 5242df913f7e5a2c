/** The numbers that the engine lives by (webhook-delivery.md 4, decisions.md 7). */
export interface EngineLimits {
  /** How long an instance holds a row: far above any clock skew, and above wait plus attempt. */
  readonly leaseMs: number;
  /** An attempt is broken off so long before its lease ends. */
  readonly leaseMarginMs: number;
  /** Rows in the memory of an instance; all others wait in the database. */
  readonly mostHeld: number;
  /** Of which one key may hold at most so many… */
  readonly mostHeldOfKey: number;
  /** …and no more than it can be expected to take in this time, so that slow ones hold few. */
  readonly heldAheadMs: number;
  /** Attempts under way over all keys. */
  readonly mostUnderWay: number;
  /**
   * Attempts over all keys whose end is not written: under way, or ended and not acknowledged yet.
   * At most so many are repeated after a crash. Room enough for what ends while a write is under
   * way: with 64 in all, and endings written sooner for it, a drain to twenty took half as long again
   * to twice as long as with 64 under way.
   */
  readonly mostInFlight: number;
  /** Of which so many are for keys that have none under way: slow keys never fill them all. */
  readonly slotsForIdleKeys: number;
  /**
   * A tenant may have so many times as many under way as are free: some stay free for the others,
   * however many of its keys are slow, and however many tenants have such keys.
   */
  readonly shareOfFree: number;
  /** While the instance is busy with commands, what was left for later is sent so long after each other. */
  readonly giveWayMs: number;
  /** How long the answer to "is this key still served?" may be trusted (decisions.md 7: 1 s). */
  readonly trustMs: number;
  /** Acknowledgements are written after this time… */
  readonly acknowledgeMs: number;
  /** …or when one key has so many, or none can start before they are. */
  readonly acknowledgeRows: number;
  /** Of the events of one batch that a key is owed and nobody holds, more than so many are a span. */
  readonly mostRowsOfKey: number;
  /** What a batch may add to its transaction; where it owes more, keys that are owed most get spans. */
  readonly mostRowsOfBatch: number;
  /** Between two looks for due rows, ±20 %. */
  readonly sweepMs: number;
  /** Between two looks where rows are known to wait. */
  readonly hurriedSweepMs: number;
  readonly longestRestMs: number;
  /** How long it is remembered how fast a key is. */
  readonly forgetKeyMs: number;
  readonly claimRows: number;
  /** Events more, of spans. */
  readonly claimMore: number;
  /** Of one key, where other keys have due rows too. */
  readonly claimShare: number;
  /** When a row that has to let an earlier one pass looks again. */
  readonly letPassMs: number;
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** A row whose breaker stayed open for the length of the schedule is given up; at least after: */
  readonly shortestGiveUpMs: number;
  /** Between two tries of a question that the database did not answer. */
  readonly askAgainMs: number;
  /** How long `stop` waits for attempts under way before it breaks them off, */
  readonly stopMs: number;
  /** and how long an attempt that was broken off has to end. */
  readonly breakOffMs: number;
}

export const ENGINE_LIMITS: EngineLimits = {
  leaseMs: 60_000,
  leaseMarginMs: 5_000,
  mostHeld: 1_000,
  mostHeldOfKey: 250,
  heldAheadMs: 5_000,
  mostUnderWay: 64,
  mostInFlight: 256,
  slotsForIdleKeys: 16,
  shareOfFree: 7,
  giveWayMs: 4,
  trustMs: 1_000,
  acknowledgeMs: 50,
  acknowledgeRows: 8,
  mostRowsOfKey: 50,
  mostRowsOfBatch: 2_000,
  sweepMs: 1_000,
  hurriedSweepMs: 50,
  longestRestMs: 30_000,
  forgetKeyMs: 600_000,
  claimRows: 64,
  claimMore: 256,
  claimShare: 16,
  letPassMs: 250,
  breakerFailures: 5,
  breakerOpenMs: 30_000,
  shortestGiveUpMs: 3_600_000,
  askAgainMs: 250,
  stopMs: 10_000,
  breakOffMs: 1_000,
};

import type { Clock } from '../contract/clock.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { DeliveryTraces } from './delivery-traces.js';
import type { PluginLog } from '../contract/extension.js';
import type { OutboxStore } from '../../outbox/outbox-claims.js';

/** Limits and intervals of the engine (decisions.md 7). */
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
  /** Attempts in flight over all keys. */
  readonly maxAttempts: number;
  /**
   * Attempts over all keys whose result is not written: in flight, or ended and not acknowledged.
   * At most this many are repeated after a crash. Leaves capacity for attempts that end during a
   * write: with a total of 64, and more frequent writes, a drain to twenty registrations took 1.5 to
   * 2 times as long as with 64 in flight.
   */
  readonly maxUnacknowledged: number;
  /** Slots reserved for keys with none in flight: slow keys never fill them all. */
  readonly slotsForIdleKeys: number;
  /**
   * A tenant may have this many times as many in flight as are free: some stay free for others,
   * regardless of how many keys and tenants are slow.
   */
  readonly shareOfFree: number;
  /** Interval between backlog deliveries while the instance is busy with commands. */
  readonly throttleMs: number;
  /** How long the result of a serving check is valid (decisions.md 7: 1 s). */
  readonly servingCacheMs: number;
  /** Acknowledgements are written after this time… */
  readonly acknowledgeMs: number;
  /** …or when one key has this many, or no attempt can start before. */
  readonly acknowledgeRows: number;
  /** The same for a key whose rows wait in the database: fewer, larger writes while it drains. */
  readonly acknowledgeBacklogRows: number;
  /** Unclaimed events of one key in a batch; more than this become a span. */
  readonly maxRowsPerKey: number;
  /** Rows that a batch may add to its transaction; beyond, the keys with the most events get spans. */
  readonly maxRowsPerBatch: number;
  /** Between two sweeps for due rows, ±20 %. */
  readonly sweepMs: number;
  /** Between two sweeps while the outbox is empty and no other instance runs. */
  readonly restMs: number;
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
  /** Delay before a failed query is retried. */
  readonly queryRetryMs: number;
  /** How long an aborted attempt has to end. */
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
  acknowledgeBacklogRows: 64,
  maxRowsPerKey: 50,
  maxRowsPerBatch: 2_000,
  sweepMs: 1_000,
  restMs: 10_000,
  urgentSweepMs: 50,
  maxPauseMs: 30_000,
  idleKeyTtlMs: 600_000,
  claimRows: 256,
  claimSpanEvents: 256,
  claimShare: 16,
  outOfOrderRetryMs: 250,
  breakerFailures: 5,
  breakerOpenMs: 30_000,
  minGiveUpMs: 3_600_000,
  queryRetryMs: 250,
  abortGraceMs: 1_000,
};

/** What the engine is made of. */
export interface EngineParts {
  /** By the name of their plugin. */
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly store: OutboxStore;
  /** This instance, in every row that it holds: a new UUID each time the process starts. */
  readonly owner: string;
  /** Whether other instances run on the same database. */
  readonly otherInstancesAlive: () => boolean;
  /**
   * How often the others have thought this instance dead, and given its rows to any instance: another
   * number, and what is in memory is no longer its own. Undefined: they may think so now.
   */
  readonly timesExpired: () => number | undefined;
  /** Whether this instance is busy with commands: what was left for later gives way to them. */
  readonly isBusy: () => boolean;
  readonly log: PluginLog;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly limits: EngineLimits;
  /** Absent: deliveries are not traced. */
  readonly traces?: Pick<DeliveryTraces, 'trace'> | undefined;
}

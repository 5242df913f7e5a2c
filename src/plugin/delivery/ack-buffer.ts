import { backoffMs, type Outage } from './outage.js';
import type { Clock } from '../contract/clock.js';
import type { EngineLimits } from './engine-parts.js';
import type { OwnedRow, KeyGate } from './key-gate.js';
import type {
  OutboxStore,
  Acknowledgement,
  FinishedAttempt,
  ClaimResult,
} from '../../outbox/outbox-claims.js';

/** A row whose attempt, or whose wait for one, has ended. */
export interface EndedRow {
  readonly gate: KeyGate;
  readonly row: OwnedRow;
  readonly ending: ClaimResult;
  readonly attempt?: FinishedAttempt;
}

/**
 * Writes endings in groups over all keys: a short time after the first, or as soon as one key has
 * enough of them or places are needed. What the database does not take is kept and tried again.
 */
export interface AckBuffer {
  readonly add: (ended: EndedRow) => void;
  /** Lets what is there wait no longer: places are needed. */
  readonly flushSoon: () => void;
  /** Writes what is there now; false where the database did not take it. */
  readonly flush: () => Promise<boolean>;
  /** Attempts that have ended and are not written: a crash now would repeat them. */
  readonly unwritten: () => number;
  /** Whether endings wait because the database did not take them. */
  readonly isBehind: () => boolean;
}

export interface AckBufferParts {
  readonly store: OutboxStore;
  readonly owner: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: EngineLimits;
  readonly outage: Outage;
  /** Whether more rows of the key wait in the database. */
  readonly isBacklogged: (gate: KeyGate) => boolean;
  /** Called with the results that were written. */
  readonly settled: (ended: readonly EndedRow[]) => void;
}

export const createAckBuffer = (parts: AckBufferParts): AckBuffer => {
  const { store, owner, clock, random, limits, outage, isBacklogged, settled } = parts;
  const waiting = new Set<EndedRow>();
  const counts = new Map<KeyGate, number>();
  let writing: Promise<boolean> | undefined;
  let unwritten = 0;
  let isFull = false;
  let failures = 0;
  let cancelTimer: (() => void) | undefined;

  const toAcknowledgement = ({ row, ending: result, attempt }: EndedRow): Acknowledgement => ({
    id: row.id,
    owner,
    claim: row.claim,
    result,
    ...(attempt && { attempt }),
  });

  const maxRows = (gate: KeyGate): number =>
    isBacklogged(gate) ? limits.acknowledgeBacklogRows : limits.acknowledgeRows;

  const forget = (batch: readonly EndedRow[]): void => {
    for (const ended of batch) {
      waiting.delete(ended);
      if (ended.attempt) unwritten -= 1;
      const left = (counts.get(ended.gate) ?? 1) - 1;
      if (left === 0) counts.delete(ended.gate);
      else counts.set(ended.gate, left);
    }
    isFull = [...counts].some(([gate, count]) => count >= maxRows(gate));
  };

  const write = async (): Promise<boolean> => {
    const batch = [...waiting];
    const written = batch.map(toAcknowledgement);
    try {
      await store.acknowledge(written);
    } catch (cause) {
      failures += 1;
      outage.failed(cause);
      return false;
    }
    failures = 0;
    outage.succeeded();
    // A row that has been claimed again is held under its new claim: once more for that.
    const over = batch.filter(({ row }, index) => row.claim === written[index]?.claim);
    forget(over);
    settled(over);
    return true;
  };

  const stopTimer = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
  };

  const schedule = (): void => {
    if (writing || waiting.size === 0) return;
    if (isFull && failures === 0) return void flush();
    cancelTimer ??= clock.after(
      failures === 0
        ? limits.acknowledgeMs
        : backoffMs(failures, { firstMs: limits.queryRetryMs, maxMs: limits.maxPauseMs }, random),
      () => void flush(),
    );
  };

  const flush = async (): Promise<boolean> => {
    while (writing) await writing;
    stopTimer();
    if (waiting.size === 0) return true;
    writing = write();
    try {
      return await writing;
    } finally {
      writing = undefined;
      schedule();
    }
  };

  return {
    add: (ended) => {
      waiting.add(ended);
      if (ended.attempt) unwritten += 1;
      const count = (counts.get(ended.gate) ?? 0) + 1;
      counts.set(ended.gate, count);
      isFull ||= count >= maxRows(ended.gate);
      schedule();
    },
    flushSoon: () => {
      isFull = true;
      schedule();
    },
    flush,
    unwritten: () => unwritten,
    isBehind: () => failures > 0,
  };
};

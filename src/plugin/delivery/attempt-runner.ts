import { type Attempt, startAttempt } from './attempt.js';
import type { DeliveryOutcome } from '../contract/contract.js';
import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './held-row.js';
import type { KeyGate } from './key-gate.js';
import type { ClaimResult } from '../../outbox/outbox-claims.js';
import { delayAfter } from './retry-schedule.js';

export interface AttemptResult {
  readonly gate: KeyGate;
  readonly row: HeldRow;
  readonly outcome: DeliveryOutcome;
  readonly ending: ClaimResult;
  readonly ms: number;
}

/** Makes attempts, and says how each ends for its row. */
export interface AttemptRunner {
  readonly start: (gate: KeyGate, row: HeldRow) => void;
  /** Resolves when nothing is in flight. */
  readonly ended: () => Promise<void>;
  /** Aborts attempts in flight; they do not count and are left to other instances. */
  readonly abort: () => void;
}

export const createAttemptRunner = (
  { clock, random, limits, log, traces }: EngineParts,
  onResult: (attempt: AttemptResult) => void,
): AttemptRunner => {
  const inFlight = new Map<Attempt, Promise<void>>();
  let isAborted = false;

  const endingOf = (gate: KeyGate, row: HeldRow, outcome: DeliveryOutcome): ClaimResult => {
    if (outcome.kind === 'delivered') return { kind: 'delivered' };
    if (isAborted) return { kind: 'deferred', inMs: 0 };
    if (!outcome.retry) return { kind: 'failed' };
    const { attempt } = row;
    const { retrySchedule } = gate.subscriber;
    const inMs = delayAfter(retrySchedule, { attempt, waitMs: outcome.waitMs }, random);
    return inMs === undefined ? { kind: 'failed' } : { kind: 'retry', inMs };
  };

  const describe = ({ plugin, key }: KeyGate, { id, attempt }: HeldRow): object => ({
    plugin,
    // Not as `key`: the log hides what is called so.
    target: key,
    delivery: id,
    attempt,
  });

  const begin = (gate: KeyGate, row: HeldRow): Attempt => {
    const { id, event, attempt } = row;
    const deliver = (signal: AbortSignal) =>
      gate.subscriber.deliver({ id, key: gate.key, event, attempt }, signal);
    const { plugin } = gate;
    return startAttempt(
      traces
        ? (signal) =>
            traces.trace({ plugin, id, eventId: event.id, event: event.name, attempt }, () =>
              deliver(signal),
            )
        : deliver,
      {
        clock,
        limitMs: row.leasedAt + limits.leaseMs - limits.leaseMarginMs - clock.now(),
        graceMs: limits.abortGraceMs,
        onError: (cause) =>
          log.error(
            { ...describe(gate, row), err: cause },
            'A subscriber threw during a delivery.',
          ),
      },
    );
  };

  return {
    start: (gate, row) => {
      const startedAt = clock.now();
      const attempt = begin(gate, row);
      const finish = async (): Promise<void> => {
        const outcome = await attempt.outcome;
        const ending = endingOf(gate, row, outcome);
        if (outcome.kind === 'failed' && ending.kind === 'failed') {
          log.warn({ ...describe(gate, row), reason: outcome.reason }, 'Delivery failed.');
        }
        inFlight.delete(attempt);
        onResult({ gate, row, outcome, ending, ms: clock.now() - startedAt });
      };
      inFlight.set(attempt, finish());
    },
    ended: async () => {
      await Promise.all(inFlight.values());
    },
    abort: () => {
      isAborted = true;
      for (const attempt of inFlight.keys()) attempt.abort();
    },
  };
};

import type { Ending } from '../../ports/event-stream.js';
import { systemClock } from '../contract/clock.js';
import type { DeliveryOutcome } from '../contract/contract.js';
import { delayAfter } from './attempt.js';
import type { Job, Lane } from './lane.js';
import type { Results } from './results.js';
import type { Shared } from './stream-parts.js';

const MAX_REASON = 500;
/** At least so long between two lines about a key: its deliveries may fail and succeed in turns. */
const QUIET_MS = 10_000;

/** Of a URL, only the host: its path and query may be secrets. */
const withoutUrlDetails = (reason: string): string =>
  reason.replace(/\b(https?:\/\/)(?:[^\s/?#@]*@)?([^\s/?#]+)\S*/gi, '$1$2');

const endingOf = ({ attempt, lane }: Job, outcome: DeliveryOutcome): Ending => {
  if (outcome.kind === 'delivered') return { kind: 'delivered' };
  if (!outcome.retry) return { kind: 'failed' };
  const { waitMs } = outcome;
  const inMs = delayAfter(lane.group.subscriber.retry, { attempt, waitMs }, Math.random);
  return inMs === undefined ? { kind: 'failed' } : { kind: 'retry', inMs };
};

/** Decides what follows an attempt. */
export const createOutcomes = (shared: Shared & { readonly results: Results }) => {
  const { log, limits, results } = shared;
  /** By plugin; in milliseconds of the steady clock. */
  const lastFailures = new Map<string, { readonly reason: string; readonly at: number }>();
  /** Why the deliveries of a key fail, and since when that is in the log. */
  const causes = new WeakMap<Lane, { readonly reason: string; readonly at: number }>();

  /** Logs when deliveries of a key begin to fail, and each other cause. */
  const noteCause = (lane: Lane, reason: string | undefined): void => {
    const at = systemClock.now();
    const last = causes.get(lane);
    if (last && (last.reason === reason || at - last.at < QUIET_MS)) return;
    causes.delete(lane);
    if (reason === undefined) return;
    causes.set(lane, { reason, at });
    log.warn({ plugin: lane.group.plugin, target: lane.key, reason }, 'Deliveries fail.');
  };

  /** Pauses a key whose attempts fail in a row. `failure`: why this one did. */
  const noteHealth = (lane: Lane, failure: string | undefined): void => {
    const { breaker, group } = lane;
    // Not as `key`: the log hides what is called so.
    const fields = { plugin: group.plugin, target: lane.key };
    if (failure === undefined) {
      if (breaker.succeeded()) log.info(fields, 'Deliveries succeed again.');
    } else if (breaker.failed(systemClock.now())) {
      lane.rewind();
      const details = { openMs: limits.breakerOpenMs, reason: failure };
      log.warn({ ...fields, ...details }, 'Consecutive deliveries failed; deliveries are paused.');
    }
  };

  return {
    lastFailures,
    /** An attempt has ended. */
    attempted: (job: Job, outcome: DeliveryOutcome, ms: number): void => {
      const { lane, id: delivery, attempt } = job;
      const { plugin } = lane.group;
      if (lane.group.isLost()) return;
      const ending = endingOf(job, outcome);
      const reason = outcome.kind === 'failed' ? outcome.reason.slice(0, MAX_REASON) : null;
      const kept = outcome.kept ?? null;
      results.end(job, { ending, reason, attempt: { ms: Math.round(ms), kept } });
      const shown = withoutUrlDetails(reason ?? '');
      if (reason !== null) lastFailures.set(plugin, { reason: shown, at: systemClock.now() });
      noteCause(lane, reason === null ? undefined : shown);
      const fields = { plugin, target: lane.key, delivery, attempt, reason: shown };
      if (ending.kind === 'failed') log.warn(fields, 'Delivery failed.');
      // A permanent failure is a response too: the receiver is reachable.
      noteHealth(lane, outcome.kind === 'failed' && outcome.retry ? shown : undefined);
      lane.group.pump(lane);
    },
  };
};

export type Outcomes = ReturnType<typeof createOutcomes>;

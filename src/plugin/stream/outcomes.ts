import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryResult, Ending, KeyAddress, Retry } from '../../ports/event-stream.js';
import type { DeliveryOutcome, DurableSubscriber } from '../contract/contract.js';
import { delayAfter, scheduleLength } from './attempt.js';
import type { EndedJob, Engine } from './engine.js';
import type { Job, Lane } from './lane.js';
import { createDeliveryFailures, createEndings } from './stream-gauges.js';

/** A receiver that does not respond is given up after the schedule, and at least after an hour. */
const MIN_GIVE_UP_MS = 3_600_000;
const MAX_REASON = 500;

const overdueMs = ({ retry }: DurableSubscriber): number =>
  Math.max(MIN_GIVE_UP_MS, scheduleLength(retry));

/** Decides what becomes of deliveries: after an attempt, or without one. */
export const createOutcomes = (engine: Engine) => {
  const { store, log, clock, random, limits, outage } = engine;
  const endings = createEndings(engine.plugins);
  const failures = createDeliveryFailures(engine);

  const endingOf = ({ attempt, lane }: Job, outcome: DeliveryOutcome): Ending => {
    if (outcome.kind === 'delivered') return { kind: 'delivered' };
    if (!outcome.retry) return { kind: 'failed' };
    const { waitMs } = outcome;
    const inMs = delayAfter(lane.group.subscriber.retry, { attempt, waitMs }, random);
    return inMs === undefined ? { kind: 'failed' } : { kind: 'retry', inMs };
  };

  const end = (job: Job, ended: Pick<DeliveryResult, 'ending' | 'reason' | 'attempt'>): void => {
    const { id, lane, event, attempt, revision } = job;
    const { key, group } = lane;
    engine.results.add({
      job,
      result: {
        ...{ id, plugin: group.plugin, key, event, ...ended },
        attempts: ended.attempt ? attempt : attempt - 1,
        ...(revision !== undefined && { revision }),
      },
    });
  };

  const noteBreaker = ({ group: { plugin }, key, breaker }: Lane): void => {
    const { breakerOpenMs: openMs } = limits;
    const target = { plugin, target: key };
    if (breaker.isClosed()) log.info(target, 'Deliveries succeed again.');
    else log.warn({ ...target, openMs }, 'Consecutive deliveries failed; deliveries are paused.');
  };

  // A permanent failure is a response too: the receiver is reachable.
  const noteHealth = (lane: Lane, outcome: DeliveryOutcome): void => {
    const isFailure = outcome.kind === 'failed' && outcome.retry;
    const { breaker } = lane;
    const hasChanged = isFailure ? breaker.failed(clock.now()) : breaker.succeeded();
    if (hasChanged) noteBreaker(lane);
    if (hasChanged && isFailure) engine.retries.forget(lane.rewind());
    if (outcome.kind === 'failed') failures.failed(lane, outcome.reason.slice(0, MAX_REASON));
    else failures.succeeded(lane);
  };

  const dropRetries = (key: KeyAddress): void => {
    store
      .dropRetries(key)
      .then((dropped) => endings.add(key.plugin, 'dropped', dropped))
      // The next poll finds them again.
      .catch(outage.failed);
  };

  return {
    endings: endings.read,
    lastFailures: failures.last,
    dropRetries,
    /** An attempt has ended. */
    attempted: (job: Job, outcome: DeliveryOutcome, ms: number): void => {
      const { lane, id: delivery, attempt } = job;
      const { group, key: target } = lane;
      if (group.isLost()) {
        engine.retries.forget([job]);
        return;
      }
      const ending = endingOf(job, outcome);
      const reason = outcome.kind === 'failed' ? outcome.reason.slice(0, MAX_REASON) : null;
      const { plugin } = group;
      if (ending.kind === 'failed')
        log.warn({ plugin, target, delivery, attempt, reason }, 'Delivery failed.');
      end(job, { ending, reason, attempt: { ms: Math.round(ms), kept: outcome.kept ?? null } });
      noteHealth(lane, outcome);
      group.pump(lane);
    },
    /** Results and their positions are written. */
    written: (written: readonly EndedJob[]): void => {
      for (const { job, result } of written) {
        endings.add(result.plugin, result.ending.kind);
        if (job.revision !== undefined) engine.retries.forget([job]);
        if (result.ending.kind === 'retry') engine.retries.expect(result.ending.inMs);
      }
      for (const lane of new Set(written.map(({ job }) => job.lane))) lane.group.pump(lane);
      engine.sender.send();
    },
    /** Whether the event is older than a receiver may be silent. */
    isOverdue: (subscriber: DurableSubscriber, { at }: DomainEvent): boolean =>
      engine.databaseTime().getTime() - at.getTime() > overdueMs(subscriber),
    giveUp: (job: Job): void =>
      end(job, { ending: { kind: 'failed' }, reason: 'No response for too long.' }),
    /** Fails the retries of receivers that do not respond. */
    giveUpRetries: async (): Promise<void> => {
      for (const { group, key, breaker } of [...engine.groups.lanes()]) {
        if (breaker.isClosed()) continue;
        const { plugin, tenantId, subscriber } = group;
        const ended = await store.giveUpRetries({ plugin, tenantId, key }, overdueMs(subscriber));
        endings.add(plugin, 'failed', ended);
      }
    },
    /** A key is no longer served: what waits for it is dropped. */
    keyEnded: (lane: Lane | undefined, address: KeyAddress): void => {
      const waiting = lane?.drain() ?? [];
      engine.retries.forget(waiting);
      const reason = 'The subscriber no longer serves this key.';
      for (const job of waiting) end(job, { ending: { kind: 'dropped' }, reason });
      dropRetries(address);
    },
    /** The log no longer has events that were not delivered. */
    expired: (lane: Lane, events: number): void => {
      const { plugin, tenantId: tenant } = lane.group;
      endings.add(plugin, 'failed', events);
      log.error(
        { plugin, tenant, target: lane.key, upTo: lane.readTo(), events },
        'The log no longer has events that were not delivered.',
      );
    },
    /** The log no longer has the event of a retry. */
    retryExpired: ({ event: _none, ...retry }: Retry): void => {
      const reason = 'The log no longer has the event.';
      const result = { ...retry, event: undefined, ending: { kind: 'failed' }, reason } as const;
      store.record([result]).catch(outage.failed);
    },
  };
};

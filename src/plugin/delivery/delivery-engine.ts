import type { EndRequest } from '../../outbox/outbox-claims.js';
import type { OutboxPlanner } from '../../outbox/outbox-planner.js';
import { createBacklog, createEngineMemory, gateIdOf } from './engine-memory.js';
import { systemClock } from '../contract/clock.js';
import {
  createDeliveryFailures,
  createEngineCounters,
  createPendingReader,
  type EngineGauges,
} from './engine-gauges.js';
import { createDispatcher } from './dispatcher.js';
import { ENGINE_LIMITS, type EngineParts } from './engine-parts.js';
import { type KeyGate, capacityOf } from './key-gate.js';
import { createPeerLeases, createRest } from './peer-leases.js';
import { createOutage } from './outage.js';
import { createOutboxPlan } from './outbox-plan.js';
import { createSpanExpander } from './span-expander.js';
import { scheduleLength } from './attempt-runner.js';
import { createSweeper, type Sweeper } from './sweeper.js';

/**
 * Delivers events to every durable subscriber, at least once each: plans rows into the pipeline's
 * commits, sends what was born leased from memory right after them, and everything else (retries,
 * crashes, what is too much for memory) by sweeps over the outbox.
 */
export interface DeliveryEngine extends OutboxPlanner {
  readonly gauges: EngineGauges;
  readonly start: () => void;
  /** Rows of this plugin were added without a commit: those of requests to send again. */
  readonly wake: (plugin: string) => void;
  /**
   * Lets attempts in flight end, for this time, and releases all other rows, so that other instances
   * continue at once. Call it when the pipeline commits no more. Never rejects.
   */
  readonly stop: (graceMs: number) => Promise<void>;
}

type Defaults = 'clock' | 'random' | 'limits' | 'isBusy' | 'timesExpired';

export const createDeliveryEngine = (
  given: Omit<EngineParts, Defaults> & Partial<Pick<EngineParts, Defaults>>,
): DeliveryEngine => {
  const parts = {
    clock: systemClock,
    random: Math.random,
    limits: ENGINE_LIMITS,
    isBusy: () => false,
    timesExpired: () => 0,
    ...given,
  };
  const { subscribers, store, owner, log, clock, limits } = parts;
  const memory = createEngineMemory(parts);
  const backlog = createBacklog();
  const counters = createEngineCounters(subscribers.keys());
  const failures = createDeliveryFailures(parts);
  const peerLeases = createPeerLeases(parts);
  const rest = createRest({ ...parts, memory, peerLeases });
  const pending = createPendingReader(store, clock);
  const sweepers = new Map<string, Sweeper>();
  let state: 'new' | 'running' | 'stopping' = 'new';

  const outage = createOutage(log, {
    began: 'The database does not respond; deliveries wait.',
    ended: 'The database responds again; deliveries resume.',
  });

  const endWaiting = (request: EndRequest): void => {
    const { plugin, key, kind } = request;
    store
      .endWaiting(request)
      .then((rows) => {
        counters.ended(plugin, kind, rows);
        if (rows > 0) log.info({ plugin, target: key, rows, kind }, 'Ended pending deliveries.');
      })
      // Sweeps will find those rows one by one.
      .catch(outage.failed);
  };

  const onBreakerChange = (gate: KeyGate): void => {
    const { plugin, key, breaker, subscriber } = gate;
    if (breaker.isClosed()) {
      log.info({ plugin, target: key }, 'Deliveries succeed again.');
      return sweepers.get(plugin)?.wake();
    }
    log.warn(
      { plugin, target: key, openMs: limits.breakerOpenMs },
      'Consecutive deliveries failed; deliveries are paused.',
    );
    backlog.markFull(gateIdOf(gate));
    endWaiting({
      plugin,
      key,
      kind: 'failed',
      overdueMs: Math.max(scheduleLength(subscriber.retrySchedule), limits.minGiveUpMs),
      reason: 'No response for too long.',
    });
  };

  const wakeSweeper = (gate: KeyGate): void => {
    const hasCapacity = gate.held <= capacityOf(gate, limits, clock.now());
    if (hasCapacity) sweepers.get(gate.plugin)?.wake();
  };

  const dispatcher = createDispatcher({
    ...parts,
    memory,
    backlog,
    counters,
    failures,
    outage,
    mayHaveUnknownRows: () =>
      peerLeases.peerLeasesPossible() ||
      [...sweepers.values()].some((sweeper) => sweeper.isBehind()),
    onBreakerChange,
    onUnserved: ({ plugin, key }, tenantId) =>
      endWaiting({
        plugin,
        key,
        tenantId,
        kind: 'dropped',
        reason: 'The subscriber no longer serves this key.',
      }),
    onFreed: (gate) => {
      if (backlog.isFull(gateIdOf(gate))) wakeSweeper(gate);
    },
  });

  const planner = createOutboxPlan({
    ...parts,
    memory,
    backlog,
    counters,
    acceptsRows: () => state === 'running' && parts.timesExpired() !== undefined,
    admit: dispatcher.admit,
    release: (gate, { id, resource }) => {
      const row = { id, resource, claim: null };
      memory.hold(gate, row);
      dispatcher.end({ gate, row, ending: { kind: 'deferred', inMs: 0 } });
    },
    onWaiting: wakeSweeper,
  });

  const expander = createSpanExpander({ ...parts, counters });
  const shared = {
    ...parts,
    memory,
    backlog,
    outage,
    dispatcher,
    peerLeases,
    rest,
    expander,
  };
  for (const [plugin, subscriber] of subscribers) {
    sweepers.set(plugin, createSweeper({ ...shared, plugin, subscriber }));
  }

  const attemptsEnded = async (limitMs: number): Promise<void> => {
    let cancel = (): void => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = clock.after(limitMs, resolve);
    });
    await Promise.race([dispatcher.attempts.ended(), limit]);
    cancel();
  };

  return {
    ...planner,
    committed: (rows, events) => {
      if (rows.length > 0) rest.end();
      planner.committed(rows, events);
    },
    abandoned: (rows, written) => {
      if (rows.length > 0) rest.end();
      planner.abandoned(rows, written);
    },
    wake: (plugin) => {
      rest.end();
      sweepers.get(plugin)?.wake();
    },
    gauges: {
      snapshot: async () => ({
        ...counters.read(),
        lastFailures: failures.last(),
        ...(await pending()),
        held: limits.maxHeld - memory.freeCapacity(),
        inFlight: dispatcher.inFlight(),
        openBreakers: [...memory.gates()].filter((gate) => !gate.breaker.isClosed()).length,
      }),
    },
    start: () => {
      state = 'running';
      peerLeases.start();
      void pending().then(({ pending: left }) => {
        if (left?.size === 0) peerLeases.outboxIsEmpty();
      });
      for (const sweeper of sweepers.values()) sweeper.start();
    },
    stop: async (graceMs) => {
      state = 'stopping';
      // First: no waiting row may start while a running sweep ends.
      dispatcher.close();
      await Promise.all([...sweepers.values()].map((sweeper) => sweeper.stop()));
      await attemptsEnded(graceMs);
      dispatcher.attempts.abort();
      await attemptsEnded(2 * limits.abortGraceMs);
      await dispatcher.acks.flush();
      await store.release(owner, [...subscribers.keys()]).catch(outage.failed);
    },
  };
};

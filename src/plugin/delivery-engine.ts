import type { EndRequest } from '../domain/outbox-work.js';
import type { OutboxPlanner } from '../pipeline/outbox-planner.js';
import { createBacklog } from './engine/backlog.js';
import { systemClock } from './clock.js';
import { createDispatcher } from './engine/dispatcher.js';
import {
  createEngineCounters,
  createOwedReader,
  type EngineGauges,
} from './engine/engine-gauges.js';
import { ENGINE_LIMITS } from './engine/engine-limits.js';
import { createEngineMemory, gateIdOf } from './engine/engine-memory.js';
import type { EngineParts } from './engine/engine-parts.js';
import { type KeyGate, roomOf } from './engine/key-gate.js';
import { createNeighbours } from './engine/neighbours.js';
import { createOutage } from './engine/outage.js';
import { createOutboxPlan } from './engine/outbox-plan.js';
import { createSpanExpander } from './engine/span-expander.js';
import { lengthOf } from './engine/retry-schedule.js';
import { createSweeper, type Sweeper } from './engine/sweeper.js';

/**
 * Delivers events to every durable subscriber, at least once each: plans rows into the pipeline's
 * commits, sends what was born leased from memory right after them, and everything else (retries,
 * crashes, what is too much for memory) by sweeps over the outbox (webhook-delivery.md 4).
 */
export interface DeliveryEngine extends OutboxPlanner {
  readonly gauges: EngineGauges;
  readonly start: () => void;
  /**
   * Lets attempts under way end, for a limited time, and gives everything else back, so that other
   * instances go on at once. Call it when the pipeline commits no more. Never rejects.
   */
  readonly stop: () => Promise<void>;
}

type Defaults = 'clock' | 'random' | 'limits' | 'isBusy' | 'timesBuried';

export const createDeliveryEngine = (
  given: Omit<EngineParts, Defaults> & Partial<Pick<EngineParts, Defaults>>,
): DeliveryEngine => {
  const parts = {
    clock: systemClock,
    random: Math.random,
    limits: ENGINE_LIMITS,
    isBusy: () => false,
    timesBuried: () => 0,
    ...given,
  };
  const { subscribers, store, owner, log, clock, limits } = parts;
  const memory = createEngineMemory(parts);
  const backlog = createBacklog();
  const counters = createEngineCounters(subscribers.keys());
  const neighbours = createNeighbours(parts);
  const owed = createOwedReader(store, clock);
  const sweepers = new Map<string, Sweeper>();
  let state: 'new' | 'running' | 'stopping' = 'new';

  const outage = createOutage(log, {
    began: 'The database does not answer; deliveries wait.',
    ended: 'The database answers again; deliveries go on.',
  });

  const endWaiting = (request: EndRequest): void => {
    const { plugin, key, kind } = request;
    store
      .endWaiting(request)
      .then((rows) => {
        counters.ended(plugin, kind, rows);
        if (rows > 0)
          log.info({ plugin, owed_to: key, rows, kind }, 'Deliveries that waited have ended.');
      })
      // Sweeps will meet those rows one by one.
      .catch(outage.failed);
  };

  const breakerTurned = (gate: KeyGate): void => {
    const { plugin, key, breaker, subscriber } = gate;
    if (breaker.isClosed()) {
      log.info({ plugin, owed_to: key }, 'Deliveries succeed again.');
      return sweepers.get(plugin)?.hurry();
    }
    log.warn(
      { plugin, owed_to: key, openMs: limits.breakerOpenMs },
      'Deliveries fail in a row; they pause.',
    );
    backlog.fill(gateIdOf(gate));
    endWaiting({
      plugin,
      key,
      kind: 'failed',
      overdueMs: Math.max(lengthOf(subscriber.retrySchedule), limits.shortestGiveUpMs),
      reason: 'Nothing answered for too long.',
    });
  };

  const hurryFor = (gate: KeyGate): void => {
    const hasRoom = gate.held <= roomOf(gate, limits, clock.now());
    if (hasRoom) sweepers.get(gate.plugin)?.hurry();
  };

  const dispatcher = createDispatcher({
    ...parts,
    memory,
    backlog,
    counters,
    outage,
    mustLook: () =>
      neighbours.mayHold() || [...sweepers.values()].some((sweeper) => sweeper.isBehind()),
    breakerTurned,
    unserved: ({ plugin, key }, tenantId) =>
      endWaiting({ plugin, key, tenantId, kind: 'dropped', reason: 'No longer wanted.' }),
    freed: (gate) => {
      if (backlog.isFull(gateIdOf(gate))) hurryFor(gate);
    },
  });

  const planner = createOutboxPlan({
    ...parts,
    memory,
    backlog,
    counters,
    mayHold: () => state === 'running' && parts.timesBuried() !== undefined,
    admit: dispatcher.admit,
    handBack: (gate, { id, resource }) => {
      const row = { id, resource, claim: null };
      memory.hold(gate, row);
      dispatcher.end({ gate, row, ending: { kind: 'deferred', inMs: 0 } });
    },
    waiting: hurryFor,
  });

  const expander = createSpanExpander({ ...parts, counters });
  const shared = { ...parts, memory, backlog, outage, dispatcher, neighbours, expander };
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
    gauges: {
      snapshot: async () => ({
        ...counters.read(),
        ...(await owed()),
        held: limits.mostHeld - memory.placesLeft(),
        inFlight: dispatcher.inFlight(),
        openBreakers: [...memory.gates()].filter((gate) => !gate.breaker.isClosed()).length,
      }),
    },
    start: () => {
      state = 'running';
      neighbours.start();
      void owed().then(({ owed: left }) => {
        if (left?.size === 0) neighbours.nothingLeft();
      });
      for (const sweeper of sweepers.values()) sweeper.start();
    },
    stop: async () => {
      state = 'stopping';
      // First: while a look that is under way ends, nothing of what waits may start any more.
      dispatcher.close();
      await Promise.all([...sweepers.values()].map((sweeper) => sweeper.stop()));
      await attemptsEnded(limits.stopMs);
      dispatcher.attempts.breakOff();
      await attemptsEnded(2 * limits.breakOffMs);
      await dispatcher.acks.flush();
      await store.giveBack(owner, [...subscribers.keys()]).catch(outage.failed);
    },
  };
};

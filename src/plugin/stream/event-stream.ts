import type { DomainEvent } from '../../domain/events.js';
import type { CommittedBatch } from '../../pipeline/batch.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { systemClock } from '../contract/clock.js';
import { createEngine, type WholeEngine } from './create-engine.js';
import type { StreamParts } from './engine.js';
import { createRounds } from './rounds.js';
import { createPendingReader, type StreamGauges } from './stream-gauges.js';
import { STREAM_LIMITS } from './stream-limits.js';

/** What a commit of this gateway has added to a tenant's log. */
export interface CommittedEvents {
  readonly tenant: Pick<Tenant, 'id' | 'pluginVersions'>;
  readonly events: readonly DomainEvent[];
  /** The end of the log. */
  readonly seq: number;
  /** When the tenant was surely in this state; by the steady clock. */
  readonly at: number;
}

/**
 * Delivers the events of all tenants to every durable subscriber, at least once each, in the order
 * of each resource while nothing fails. A subscription is a position in its tenant's log: commits
 * write nothing for it. Each tenant's subscriptions belong to one gateway at a time.
 */
export interface EventStream {
  readonly gauges: StreamGauges;
  readonly start: () => void;
  /** Never throws or waits. */
  readonly committed: (committed: CommittedEvents) => void;
  /** Deliveries were queued again, or a recovery was requested. */
  readonly wake: () => void;
  /**
   * Lets attempts in flight end, for this time, writes positions, and releases the partitions, so
   * that other gateways continue at once. Never rejects.
   */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** What a batch tells the stream; undefined if its tenant does not exist. */
export const committedEvents = ({
  arrivals,
  events,
  loaded,
  workspace,
}: CommittedBatch): CommittedEvents | undefined => {
  const tenant = workspace.tenant ?? loaded.tenant;
  if (!tenant) return undefined;
  // The batch was gathered later than that.
  const at = Math.max(...arrivals.map(({ receivedAt }) => receivedAt));
  return { tenant, events, seq: loaded.version.seq + events.length, at };
};

const gaugesOf = (engine: WholeEngine): StreamGauges => {
  const { groups, sender, results, outcomes, partitions } = engine;
  const pending = createPendingReader(engine);
  return {
    snapshot: async () => ({
      endings: outcomes.endings(),
      lastFailures: outcomes.lastFailures(),
      ...(await pending()),
      held: groups.queued() + sender.inFlight() + results.waiting(),
      inFlight: sender.inFlight(),
      openBreakers: [...groups.lanes()].filter(({ breaker }) => !breaker.isClosed()).length,
      partitions: partitions.owned().length,
    }),
  };
};

type Defaults = 'clock' | 'random' | 'limits' | 'isBusy';

export const createEventStream = (
  given: Omit<StreamParts, Defaults> & Partial<Pick<StreamParts, Defaults>>,
): EventStream => {
  const engine = createEngine({
    clock: systemClock,
    random: Math.random,
    limits: STREAM_LIMITS,
    isBusy: () => false,
    ...given,
  });
  const { partitions, groups, cache, sender, results, retries, outage } = engine;
  const rounds = createRounds(engine);
  let isRunning = false;
  return {
    gauges: gaugesOf(engine),
    start: () => {
      if (engine.plugins.length === 0) return;
      isRunning = true;
      rounds.start();
    },
    committed: ({ tenant: { id, pluginVersions }, events, seq, at }) => {
      if (partitions.tokenOf(id) === undefined) return;
      const wanting = engine.plugins.filter((plugin) =>
        groups.needsGroup(plugin, pluginVersions[plugin] ?? 0),
      );
      if (wanting.length > 0) cache.add(events);
      for (const plugin of wanting)
        groups.extend(plugin, id, { seq, confirms: { version: pluginVersions[plugin] ?? 0, at } });
    },
    wake: () => {
      rounds.expectRecovery();
      retries.expect(0);
    },
    stop: async (graceMs) => {
      if (!isRunning) return;
      isRunning = false;
      groups.openNoMore();
      await rounds.stop();
      await groups.closeAll(graceMs);
      sender.stop();
      results.stop();
      await partitions.leave().catch(outage.failed);
    },
  };
};

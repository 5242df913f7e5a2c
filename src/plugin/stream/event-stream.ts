import type { DomainEvent } from '../../domain/events.js';
import type { CommittedBatch } from '../../pipeline/batch.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { createLogCache } from './log-cache.js';
import { createOutage } from './outage.js';
import { Groups } from './groups.js';
import { createOutcomes } from './outcomes.js';
import { Partitions } from './partitions.js';
import { type EndedJob, Results } from './results.js';
import { Retries } from './retries.js';
import { Rounds } from './rounds.js';
import { Sender } from './sender.js';
import { createGauges } from './stream-gauges.js';
import { STREAM_LIMITS } from './stream-limits.js';
import type { Shared, StreamParts } from './stream-parts.js';

/** What a commit of this gateway has added to a tenant's log. */
export interface CommittedEvents {
  readonly tenant: Pick<Tenant, 'id' | 'pluginVersions'>;
  readonly events: readonly DomainEvent[];
  /** The end of the log. */
  readonly seq: number;
  /** When the tenant was surely in this state; by the steady clock. */
  readonly at: number;
}

/** The commit of a batch, for the stream; undefined if its tenant does not exist. */
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

/**
 * Delivers the events of all tenants to every durable subscriber, at least once each, in the order
 * of each resource while nothing fails. A subscription is a position in its tenant's log: commits
 * write nothing for it. Each tenant's subscriptions belong to one gateway at a time.
 */
export const createEventStream = (given: StreamParts) => {
  const { log, subscribers, limits = STREAM_LIMITS, isBusy = () => false } = given;
  const outage = createOutage(log);
  const plugins = [...subscribers.keys()];
  const shared: Shared = { ...given, limits, isBusy, outage, plugins, memory: { queued: 0 } };
  const partitions = new Partitions(shared);
  const onWritten = (written: readonly EndedJob[]): void => {
    for (const { result } of written)
      if (result.ending.kind === 'retry') retries.expect(result.ending.inMs);
    for (const lane of new Set(written.map(({ job }) => job.lane))) {
      lane.group.pump(lane);
      retries.written(lane);
    }
    sender.send();
  };
  const results = new Results({ ...shared, partitions, onWritten });
  const outcomes = createOutcomes({ ...shared, results });
  const sender = new Sender({ ...shared, partitions, results, outcomes });
  const parts = { ...shared, cache: createLogCache(shared.store), partitions, results, sender };
  const groups = new Groups(parts);
  const retries = new Retries({ ...parts, groups });
  const rounds = new Rounds({ ...parts, groups, retries });
  let isRunning = false;
  return {
    gauges: createGauges({ ...parts, groups, outcomes }),
    start: (): void => {
      if (plugins.length === 0) return;
      isRunning = true;
      rounds.start();
    },
    /** Never throws or waits. */
    committed: ({ tenant: { id, pluginVersions }, events, seq, at }: CommittedEvents): void => {
      if (partitions.tokenOf(id) === undefined) return;
      const versionOf = (plugin: string): number => pluginVersions[plugin] ?? 0;
      const wanting = plugins.filter((plugin) => groups.mayHave(plugin, versionOf(plugin)));
      if (wanting.length > 0) parts.cache.add(events);
      for (const plugin of wanting)
        groups.extend(plugin, id, { seq, confirms: { version: versionOf(plugin), at } });
    },
    /** Deliveries were queued again, or a recovery was requested. */
    wake: (): void => {
      if (!isRunning) return;
      rounds.recover();
      retries.expect(0);
      retries.pollSoon();
    },
    /**
     * Lets attempts in flight end, for this time, writes positions, and releases the partitions, so
     * that other gateways continue at once. Never rejects.
     */
    stop: async (graceMs: number): Promise<void> => {
      if (!isRunning) return;
      isRunning = false;
      groups.stop();
      await rounds.stop();
      await groups.close(() => true, graceMs);
      results.stop();
      await partitions.leave().catch(outage.failed);
    },
  };
};

export type EventStream = ReturnType<typeof createEventStream>;

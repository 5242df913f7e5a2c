import { setTimeout as wait } from 'node:timers/promises';
import type { DomainEvent } from '../../domain/events.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommittedBatch } from '../../pipeline/batch.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import {
  type DeliveryResult,
  type Ending,
  type KeyAddress,
  type Lagging,
  partitionOf,
  type RecoveryJob,
  type StreamStore,
} from '../../ports/event-stream.js';
import { type Clock, systemClock } from '../contract/clock.js';
import type { DeliveryOutcome, DurableSubscriber } from '../contract/contract.js';
import type { PluginLog } from '../contract/extension.js';
import { delayAfter, scheduleLength } from './attempt.js';
import type { DeliveryTraces } from './delivery-traces.js';
import { createGroup } from './group.js';
import type { Group, Head, Job, Lane } from './lane.js';
import { createLogCache } from './log-cache.js';
import { createOutage } from './outage.js';
import { createPartitions, type Gateways } from './partitions.js';
import { createResults, type EndedJob } from './results.js';
import { createRetries } from './retries.js';
import { createSender } from './sender.js';
import {
  createDeliveryFailures,
  createEndings,
  createPendingReader,
  type StreamGauges,
} from './stream-gauges.js';
import { STREAM_LIMITS, type StreamLimits } from './stream-limits.js';

export interface StreamParts {
  /** By the name of their plugin. */
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly store: StreamStore;
  /** This gateway: a new UUID each time the process starts. */
  readonly owner: string;
  readonly gateways: Gateways;
  readonly databaseTime: () => Date;
  readonly isBusy: () => boolean;
  readonly log: PluginLog;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly limits: StreamLimits;
  /** Absent: deliveries are not traced. */
  readonly traces?: Pick<DeliveryTraces, 'trace'> | undefined;
}

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

/** A receiver that does not respond is given up after the schedule, and at least after an hour. */
const MIN_GIVE_UP_MS = 3_600_000;
/** How long deliveries of a partition that is handed over may take. */
const HAND_OVER_MS = 5_000;
/** Rounds between two writes of positions that only unwanted events have moved, and two looks for recoveries. */
const SLOW_ROUNDS = 10;
/** Rounds between two comparisons of all positions with the ends of all logs, in case a hint was lost. */
const COMPARE_ROUNDS = 60;

/** Groups that are opened without a pause, and how long it is. */
const OPENED_AT_ONCE = 32;
const OPENING_MS = 5;

const MAX_REASON = 500;

const overdueMs = ({ retry }: DurableSubscriber): number =>
  Math.max(MIN_GIVE_UP_MS, scheduleLength(retry));

type Defaults = 'clock' | 'random' | 'limits' | 'isBusy';

export const createEventStream = (
  given: Omit<StreamParts, Defaults> & Partial<Pick<StreamParts, Defaults>>,
): EventStream => {
  const parts: StreamParts = {
    clock: systemClock,
    random: Math.random,
    limits: STREAM_LIMITS,
    isBusy: () => false,
    ...given,
  };
  const { subscribers, store, owner, gateways, log, clock, random, limits } = parts;
  const groups = new Map<string, Group>();
  const events = createLogCache(store);
  const endings = createEndings(subscribers.keys());
  const failures = createDeliveryFailures(parts);
  const pending = createPendingReader(store, { clock, plugins: [...subscribers.keys()] });
  let state: 'new' | 'running' | 'stopped' = 'new';
  let adopted = false;
  /** Events may have been committed that nothing here has heard of. */
  let mustCompare = true;
  let rounds = 0;
  let round = Promise.resolve();
  let cancelRound = (): void => undefined;
  let closeWatch: (() => void) | undefined;
  let hasRecoveries = true;

  const outage = createOutage(log, {
    began: 'The database does not respond; deliveries wait.',
    ended: 'The database responds again; deliveries resume.',
  });

  const nameOf = (plugin: string, tenantId: TenantId): string => `${plugin}:${tenantId}`;

  const lanes = function* (): Generator<Lane> {
    for (const group of groups.values()) yield* group.lanes();
  };

  /** Counted at most once in so many milliseconds. */
  let queuedAt = -Infinity;
  let queuedThen = 0;
  const queued = (): number => {
    if (clock.now() - queuedAt > 50) {
      queuedAt = clock.now();
      queuedThen = 0;
      for (const lane of lanes()) queuedThen += lane.queued();
    }
    return queuedThen;
  };

  /** Unless another has taken its place. */
  const remove = (group: Group): void => {
    const name = nameOf(group.plugin, group.tenantId);
    if (groups.get(name) === group) groups.delete(name);
  };

  const lose = (group: Group): void => {
    group.close({ isLost: true });
    sender.abort(({ lane }) => lane.group === group);
    remove(group);
  };

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
    results.add({
      job,
      result: {
        ...{ id, plugin: group.plugin, key, event, ...ended },
        attempts: ended.attempt ? attempt : attempt - 1,
        ...(revision !== undefined && { revision }),
      },
    });
  };

  const onBreakerChange = ({ group: { plugin }, key, breaker }: Lane): void => {
    if (breaker.isClosed()) log.info({ plugin, target: key }, 'Deliveries succeed again.');
    else
      log.warn(
        { plugin, target: key, openMs: limits.breakerOpenMs },
        'Consecutive deliveries failed; deliveries are paused.',
      );
  };

  // A permanent failure is a response too: the receiver is reachable.
  const noteHealth = (lane: Lane, outcome: DeliveryOutcome): void => {
    const { breaker } = lane;
    const isFailure = outcome.kind === 'failed' && outcome.retry;
    const hasChanged = isFailure ? breaker.failed(clock.now()) : breaker.succeeded();
    if (hasChanged) onBreakerChange(lane);
    if (hasChanged && isFailure) retries.forget(lane.rewind());
    if (outcome.kind === 'failed') failures.failed(lane, outcome.reason.slice(0, MAX_REASON));
    else failures.succeeded(lane);
  };

  const onResult = (job: Job, outcome: DeliveryOutcome, ms: number): void => {
    const { lane } = job;
    const { group } = lane;
    if (group.isLost()) {
      retries.forget([job]);
      return;
    }
    const ending = endingOf(job, outcome);
    const reason = outcome.kind === 'failed' ? outcome.reason.slice(0, MAX_REASON) : null;
    if (ending.kind === 'failed')
      log.warn(
        { plugin: group.plugin, target: lane.key, delivery: job.id, attempt: job.attempt, reason },
        'Delivery failed.',
      );
    end(job, { ending, reason, attempt: { ms: Math.round(ms), kept: outcome.kept ?? null } });
    noteHealth(lane, outcome);
    group.pump(lane);
  };

  const sender = createSender({
    ...parts,
    isTrusted: () => partitions.isTrusted(),
    unwritten: () => results.unwritten(),
    onFull: () => results.writeSoon(),
    onAborted: (job) => retries.forget([job]),
    onResult,
  });

  const onWritten = (written: readonly EndedJob[]): void => {
    for (const { job, result } of written) {
      endings.add(result.plugin, result.ending.kind);
      if (job.revision !== undefined) retries.forget([job]);
      if (result.ending.kind === 'retry') retries.expect(result.ending.inMs);
    }
    for (const lane of new Set(written.map(({ job }) => job.lane))) lane.group.pump(lane);
    sender.send();
  };

  const results = createResults({
    ...{ ...parts, outage, onWritten, onLost: lose },
    isTrusted: () => partitions.isTrusted(),
  });

  const dropRetries = (key: KeyAddress): void => {
    store
      .dropRetries(key)
      .then((dropped) => endings.add(key.plugin, 'dropped', dropped))
      // The next poll finds them again.
      .catch(outage.failed);
  };

  const giveUpRetries = async (): Promise<void> => {
    for (const { group, key, breaker } of [...lanes()]) {
      if (breaker.isClosed()) continue;
      const { plugin, tenantId, subscriber } = group;
      const ended = await store.giveUpRetries({ plugin, tenantId, key }, overdueMs(subscriber));
      endings.add(plugin, 'failed', ended);
    }
  };

  const onEnded = (lane: Lane | undefined, address: KeyAddress): void => {
    const waiting = lane?.drain() ?? [];
    retries.forget(waiting);
    for (const job of waiting)
      end(job, {
        ending: { kind: 'dropped' },
        reason: 'The subscriber no longer serves this key.',
      });
    dropRetries(address);
  };

  const openGroup = (plugin: string, tenantId: TenantId): Group | undefined => {
    const token = state === 'running' ? partitions.tokenOf(tenantId) : undefined;
    const subscriber = subscribers.get(plugin);
    if (token === undefined || !subscriber) return undefined;
    const known = groups.get(nameOf(plugin, tenantId));
    if (known?.token === token && !known.isClosed()) return known;
    const group: Group = createGroup(
      { plugin, tenantId, subscriber, token },
      {
        ...{ store, log: events, clock, limits, outage, queued },
        databaseTime: parts.databaseTime,
        overdueMs: overdueMs(subscriber),
        isBehind: () => results.waiting() > 2 * limits.maxUnsettled,
        onReady: sender.ready,
        onOverdue: (job) =>
          end(job, { ending: { kind: 'failed' }, reason: 'No response for too long.' }),
        onEnded: (lane, key) => onEnded(lane, { plugin, tenantId, key }),
        onExpired: (lane, count) => {
          endings.add(plugin, 'failed', count);
          log.error(
            { plugin, tenant: tenantId, target: lane.key, upTo: lane.readTo(), events: count },
            'The log no longer has events that were not delivered.',
          );
        },
        onLost: lose,
        onOpen: () => void retries.poll().catch(outage.failed),
        onForgotten: (jobs) => retries.forget(jobs),
      },
    );
    groups.set(nameOf(plugin, tenantId), group);
    return group;
  };

  const extend = (plugin: string, tenantId: TenantId, head: Head): void =>
    openGroup(plugin, tenantId)?.extend(head);

  /** Opens the groups that have something to read. */
  const compare = async (): Promise<void> => {
    let opened = 0;
    for (const { plugin, tenantId, head, version } of await store.lagging([
      ...subscribers.keys(),
    ])) {
      if (!needsGroup(plugin, version)) continue;
      extend(plugin, tenantId, { seq: head, confirms: { version, at: -Infinity } });
      opened += 1;
      // Each reads and claims: not all at once.
      if (opened % OPENED_AT_ONCE === 0) await wait(OPENING_MS);
    }
  };

  const needsGroup = (plugin: string, version: Lagging['version']): boolean =>
    version > 0 || subscribers.get(plugin)?.isByRecord === false;

  const groupsIn = (ids: ReadonlySet<number>): readonly Group[] =>
    [...groups.values()].filter(({ tenantId }) => ids.has(partitionOf(tenantId)));

  const closeGroups = async (closing: readonly Group[], graceMs: number): Promise<void> => {
    const isTheirs = ({ lane }: Job): boolean => closing.includes(lane.group);
    for (const group of closing) group.close();
    await sender.ended(isTheirs, graceMs);
    sender.abort(isTheirs);
    await sender.ended(isTheirs, 2 * limits.abortGraceMs);
    await results.write(closing);
    closing.forEach(remove);
  };

  const partitions = createPartitions({
    ...{ store, owner, gateways, random },
    onTaken: () => {
      mustCompare = true;
    },
    onLost: (ids) => groupsIn(ids).forEach(lose),
    onHandOver: (ids) => closeGroups(groupsIn(ids), HAND_OVER_MS),
  });

  const retries = createRetries({
    ...{ store, clock, roundMs: limits.roundMs, plugins: [...subscribers.keys()] },
    partitions: partitions.owned,
    groupOf: ({ plugin, tenantId }) => {
      const group = openGroup(plugin, tenantId);
      if (group && !group.isOpen()) group.refresh();
      return group;
    },
    onReady: sender.ready,
    onUnserved: dropRetries,
    onExpired: ({ event: _none, ...retry }) => {
      const reason = 'The log no longer has the event.';
      const result = { ...retry, event: undefined, ending: { kind: 'failed' }, reason } as const;
      store.record([result]).catch(outage.failed);
    },
  });

  const watch = async (): Promise<void> => {
    if (gateways.living().length === 1) {
      closeWatch?.();
      closeWatch = undefined;
      return;
    }
    closeWatch ??= await store.watch(
      (tenantId, seq) => {
        for (const plugin of subscribers.keys()) extend(plugin, tenantId, { seq });
      },
      () => {
        closeWatch = undefined;
      },
    );
  };

  const step = async (job: RecoveryJob): Promise<void> => {
    const served = await subscribers.get(job.plugin)?.subscriptions(job.tenantId);
    if (!served?.some(({ key }) => key === job.key)) await store.endRecovery(job, 'stopped');
    else if (!(await store.stepRecovery(job))) await store.endRecovery(job, 'done');
    await retries.poll();
  };

  const recover = async (): Promise<void> => {
    hasRecoveries = false;
    for (const job of await store.recoveries()) {
      if (partitions.tokenOf(job.tenantId) === undefined) continue;
      hasRecoveries = true;
      // One that fails is continued by the next round, and stops nothing else.
      await step(job).catch(outage.failed);
    }
  };

  const tidyGroups = async (): Promise<void> => {
    const idleSince = clock.now() - limits.idleMs;
    const idle = [...groups.values()].filter(
      (group) => group.usedAt() < idleSince && group.isIdle(),
    );
    if (rounds % SLOW_ROUNDS === 0 || idle.length > 0) await results.write([...groups.values()]);
    for (const group of idle)
      if (group.isIdle() && !group.moved()) {
        group.close();
        remove(group);
      }
    for (const group of groups.values()) if (!group.isIdle()) group.pump();
  };

  const runRound = async (): Promise<void> => {
    if (!adopted) {
      for (const plugin of subscribers.keys()) await store.adopt(plugin);
      adopted = true;
    }
    await partitions.round();
    if (!partitions.isTrusted()) return;
    const isWatched = closeWatch !== undefined;
    await watch();
    const isAlone = closeWatch === undefined;
    mustCompare ||= rounds % COMPARE_ROUNDS === 0 || (!isAlone && !isWatched);
    if (mustCompare) await compare();
    mustCompare = false;
    if (!isAlone || !retries.isQuiet() || rounds % SLOW_ROUNDS === 0) await retries.poll();
    if (hasRecoveries || rounds % SLOW_ROUNDS === 0) await recover();
    if (rounds % SLOW_ROUNDS === 0) await giveUpRetries();
    await tidyGroups();
    sender.send();
    outage.succeeded();
  };

  const nextRound = (inMs: number): void => {
    cancelRound();
    cancelRound = clock.after(inMs, () => {
      rounds += 1;
      round = runRound()
        .catch(outage.failed)
        .then(() => {
          if (state === 'running') nextRound(limits.roundMs * (0.9 + 0.2 * random()));
        });
    });
  };

  return {
    gauges: {
      snapshot: async () => ({
        endings: endings.read(),
        lastFailures: failures.last(),
        ...(await pending()),
        held: queued() + sender.inFlight() + results.waiting(),
        inFlight: sender.inFlight(),
        openBreakers: [...lanes()].filter(({ breaker }) => !breaker.isClosed()).length,
        partitions: partitions.owned().length,
      }),
    },
    start: () => {
      if (subscribers.size === 0) return;
      state = 'running';
      nextRound(0);
    },
    committed: ({ tenant: { id, pluginVersions }, events: committed, seq, at }) => {
      if (partitions.tokenOf(id) === undefined) return;
      const wanting = [...subscribers.keys()].filter((plugin) =>
        needsGroup(plugin, pluginVersions[plugin] ?? 0),
      );
      if (wanting.length > 0) events.add(committed);
      for (const plugin of wanting)
        extend(plugin, id, { seq, confirms: { version: pluginVersions[plugin] ?? 0, at } });
    },
    wake: () => {
      hasRecoveries = true;
      retries.expect(0);
    },
    stop: async (graceMs) => {
      if (state !== 'running') return;
      state = 'stopped';
      cancelRound();
      await round;
      closeWatch?.();
      await closeGroups([...groups.values()], graceMs);
      sender.stop();
      results.stop();
      await partitions.leave().catch(outage.failed);
    },
  };
};

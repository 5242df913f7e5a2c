import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { KeyAddress, Retry } from '../../ports/event-stream.js';
import type { Engine } from './engine.js';
import type { Group, Job, Lane } from './lane.js';

/** Retries of one key in memory. */
const MAX_PER_KEY = 128;
/** Retries of one read. */
const BATCH = 512;
/** Reads of one poll, while each is full. */
const MAX_READS = 16;
/** After the last retry that was seen or expected, in milliseconds: longer than a step of most schedules. */
const QUIET_MS = 60_000;

/** Reads retries when they are due. They are in the database only: an owner that dies loses none. */
export const createRetries = (engine: Engine) => {
  const { store, clock, plugins } = engine;
  const { roundMs } = engine.limits;
  const held = new Set<DeliveryId>();
  /** Forgotten since the poll began: what it reads of them may be old. */
  const gone = new Set<DeliveryId>();
  /** Keys that take none now, of those that had due ones. */
  const blocked = new Set<Lane>();
  /** Retries without a key, and since when. */
  const missing = new Map<DeliveryId, number>();
  let busyUntil = clock.now() + QUIET_MS;
  let polling: Promise<void> | undefined;

  const takesMore = (lane: Lane): boolean =>
    lane.breaker.capacity(clock.now()) > lane.inFlight() && lane.retries() < MAX_PER_KEY;

  const addressOf = ({ key, group: { plugin, tenantId } }: Lane): KeyAddress => ({
    plugin,
    tenantId,
    key,
  });

  const toJob = ({ id, attempts, revision, event }: Retry, lane: Lane): Job | undefined =>
    event && { id, lane, event, attempt: attempts + 1, revision, isLive: false };

  /** The key may be newer than the subscriptions in memory: they are read again before it counts as ended. */
  const addUnserved = (retry: Retry, group: Group): void => {
    const seenAt = missing.get(retry.id) ?? clock.now();
    missing.set(retry.id, seenAt);
    if (group.freshAt() <= seenAt) {
      group.refresh();
      return;
    }
    missing.delete(retry.id);
    engine.outcomes.dropRetries(retry);
  };

  const add = (retry: Retry): void => {
    const group = engine.groups.open(retry.plugin, retry.tenantId);
    if (group && !group.isOpen()) group.refresh();
    // Once the group is open, the next poll finds the retry again.
    if (!group?.isOpen() || held.has(retry.id) || gone.has(retry.id)) return;
    const lane = group.find(retry.key);
    if (!lane) {
      addUnserved(retry, group);
      return;
    }
    missing.delete(retry.id);
    if (!takesMore(lane)) return void blocked.add(lane);
    const job = toJob(retry, lane);
    if (!job) {
      engine.outcomes.retryExpired(retry);
      return;
    }
    if (!lane.addRetry(job)) return;
    held.add(retry.id);
    engine.sender.ready(lane);
  };

  const read = async (): Promise<void> => {
    for (const lane of blocked) if (lane.group.isClosed() || takesMore(lane)) blocked.delete(lane);
    gone.clear();
    const partitions = engine.partitions.owned();
    if (partitions.length === 0) return;
    const except = [...blocked].map(addressOf);
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const due = await store.dueRetries({ plugins, partitions, except, limit: BATCH });
      if (due.length > 0) busyUntil = clock.now() + QUIET_MS;
      due.forEach(add);
      if (due.length < BATCH) break;
      // Keys that fill a read hide no others, whether or not they take what they have.
      const met = new Map(due.map((one) => [`${one.plugin}:${one.tenantId} ${one.key}`, one]));
      except.push(...met.values());
    }
  };

  /** Reads what is due now. */
  const poll = (): Promise<void> =>
    (polling ??= read().finally(() => {
      polling = undefined;
    }));

  return {
    poll,
    /** A retry will be due after this time. */
    expect: (inMs: number): void => {
      busyUntil = Math.max(busyUntil, clock.now() + inMs + QUIET_MS);
      if (inMs < roundMs) clock.after(inMs, () => void poll().catch(() => undefined));
    },
    /** They are no longer in memory. */
    forget: (jobs: readonly Job[]): void => {
      for (const { id } of jobs) {
        held.delete(id);
        gone.add(id);
      }
      // The next ones of a key that had more than it took.
      const isDrained = ({ lane }: Job): boolean =>
        blocked.has(lane) && lane.retries() === 0 && takesMore(lane);
      if (jobs.some(isDrained)) void poll().catch(() => undefined);
    },
    /** Whether none was found or expected for a while: polls may be rare. */
    isQuiet: (): boolean => clock.now() > busyUntil,
  };
};

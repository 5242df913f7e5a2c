import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { CursorAddress, KeyPosition, MovedCursor } from '../../ports/event-stream.js';
import type { DurableSubscriber, Subscription } from '../contract/contract.js';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import type { StreamLimits } from './stream-limits.js';

/** A delivery that waits for an attempt, or is in one. */
export interface Job {
  readonly id: DeliveryId;
  readonly lane: Lane;
  readonly event: DomainEvent;
  /** From 1. */
  readonly attempt: number;
  /** Of a retry: how often it had been queued again when it was read. */
  readonly revision?: number;
  /** It was committed here just now: it does not give way to commands. */
  readonly isLive: boolean;
}

/**
 * One key of a tenant's subscriptions: its position in the log, and what it has read ahead, in
 * queues by resource. Nothing here waits or writes; the group reads, the sender sends.
 */
export interface Lane {
  readonly group: Group;
  readonly key: string;
  readonly breaker: CircuitBreaker;
  subscription: Subscription;
  /** The subscriber no longer serves the key. */
  isEnded: boolean;
  readonly inFlight: () => number;
  /** Events that are queued. */
  readonly queued: () => number;
  /** Retries that wait. */
  readonly retries: () => number;
  /** The last position that was read. */
  readonly readTo: () => number;
  /** Whether there is something to send, leaving aside caps. */
  readonly isReady: () => boolean;
  /** Whether the next job was committed here just now. */
  readonly isNextLive: () => boolean;
  /**
   * Takes the next event of the log; returns it as a job if it is to be ended without an attempt,
   * because the receiver has been silent for too long.
   */
  readonly take: (
    event: DomainEvent,
    options: { isLive: boolean; isOverdue: boolean },
  ) => Job | undefined;
  /** The log has lost the events up to this position; returns how many. */
  readonly skipTo: (seq: number) => number;
  /** Queues a retry, unless its first attempt is still to come here. */
  readonly addRetry: (job: Job) => boolean;
  /** The next job, which is in flight from now on. */
  readonly next: () => Job | undefined;
  /** Its attempt has ended. */
  readonly ended: (job: Job) => void;
  /** Its result is written: the position may pass it. */
  readonly settled: (job: Job) => void;
  /** Forgets what waits, to read it again later; returns the retries among it. */
  readonly rewind: () => readonly Job[];
  /** Whether no result of an event that was read is to come. */
  readonly isSettled: () => boolean;
  /** Takes out what waits, to end it without an attempt. */
  readonly drain: () => readonly Job[];
  readonly position: () => KeyPosition;
}

/** Where a tenant's log ends, as a commit or a query has seen it. */
export interface Head {
  readonly seq: number;
  /** The version of the plugin's records at that position, and when it was surely theirs. */
  readonly confirms?: { readonly version: number; readonly at: number };
}

/**
 * The subscriptions of one plugin in one tenant, which this gateway owns: reads the log for them
 * and keeps what is known of them fresh. Exists only while there is something to do, and a while
 * longer.
 */
export interface Group extends CursorAddress {
  readonly subscriber: DurableSubscriber;
  readonly token: number;
  /** When something last happened; by the steady clock. */
  readonly usedAt: () => number;
  readonly lanes: () => Iterable<Lane>;
  readonly find: (key: string) => Lane | undefined;
  /** The log has grown, or its end is confirmed. */
  readonly extend: (head: Head) => void;
  /** Whether its position and subscriptions are known. */
  readonly isOpen: () => boolean;
  /** Whether an attempt may start: its subscriptions were read just now. If not, they are read. */
  readonly isFresh: () => boolean;
  /** When the subscriptions were surely as they are known; by the steady clock. */
  readonly freshAt: () => number;
  /** Reads the subscriptions again. */
  readonly refresh: () => void;
  /** Reads on for keys that have room, or for this one. Call it when something has changed. */
  readonly pump: (lane?: Lane) => void;
  /** Reads no more; what waits is forgotten. `isLost`: it belongs to another gateway now. */
  readonly close: (options?: { readonly isLost: boolean }) => void;
  readonly isClosed: () => boolean;
  readonly isLost: () => boolean;
  /** Nothing is read, queued or in flight. */
  readonly isIdle: () => boolean;
  /** The positions now, if they are other than those last written. */
  readonly moved: () => MovedCursor | undefined;
  readonly written: (moved: MovedCursor) => void;
}

/** Whether the subscription wants an event of this name at this position. */
export const wants = (
  { events, after = 0 }: Subscription,
  { name, seq }: Pick<DomainEvent, 'name' | 'seq'>,
): boolean => seq > after && (!events || seq > (events.get(name) ?? Infinity));

/** What deliveries are kept in order by (pipeline-rules.md 12). */
const resourceOf = ({ event: { resource } }: Job): string => `${resource.kind}:${resource.id}`;

/** Jobs by resource: the first of each may go unless one of its resource is in flight. */
const createResourceQueues = () => {
  const queues = new Map<string, Job[]>();
  const busy = new Set<string>();
  const ready = new Set<string>();
  let size = 0;
  return {
    size: () => size,
    hasReady: () => ready.size > 0,
    add: (job: Job): void => {
      const resource = resourceOf(job);
      const queue = queues.get(resource);
      size += 1;
      if (queue) queue.push(job);
      else queues.set(resource, [job]);
      if (!busy.has(resource)) ready.add(resource);
    },
    peek: (): Job | undefined => {
      const [resource] = ready;
      return resource === undefined ? undefined : queues.get(resource)?.[0];
    },
    next: (): Job | undefined => {
      const [resource] = ready;
      if (resource === undefined) return undefined;
      ready.delete(resource);
      busy.add(resource);
      const queue = queues.get(resource);
      const job = queue?.shift();
      if (queue?.length === 0) queues.delete(resource);
      if (job) size -= 1;
      return job;
    },
    ended: (job: Job): void => {
      const resource = resourceOf(job);
      busy.delete(resource);
      if (queues.has(resource)) ready.add(resource);
    },
    clear: (): readonly Job[] => {
      const jobs = [...queues.values()].flat();
      queues.clear();
      ready.clear();
      size = 0;
      return jobs;
    },
  };
};

interface LaneParts {
  readonly group: Group;
  readonly subscription: Subscription;
  readonly position: KeyPosition;
  readonly limits: StreamLimits;
}

export const createLane = ({ group, subscription, position, limits }: LaneParts): Lane => {
  const { key } = subscription;
  const queues = createResourceQueues();
  let retries: Job[] = [];
  let inFlight = 0;
  let retriesInFlight = 0;
  let readTo = position.at;
  /** Wanted events up to `readTo` without a written result. */
  const open = new Set<number>();
  /** The highest settled position; those between `readTo` and it were settled before, but for `left`. */
  let settledTo = position.upTo;
  const left = new Set(position.open);

  /** Retries take at most half of the slots, so that neither kind starves the other. */
  const mayRetry = (): boolean =>
    retries.length > 0 && retriesInFlight < Math.max(1, group.subscriber.concurrency / 2);

  const isRetry = ({ revision }: Job): boolean => revision !== undefined;

  const lane: Lane = {
    group,
    key,
    breaker: createCircuitBreaker(limits),
    subscription,
    isEnded: false,
    inFlight: () => inFlight,
    queued: queues.size,
    retries: () => retries.length,
    readTo: () => readTo,
    isReady: () => queues.hasReady() || mayRetry(),
    isNextLive: () => !mayRetry() && queues.peek()?.isLive === true,
    take: (event, { isLive, isOverdue }) => {
      const { seq } = event;
      readTo = seq;
      const isLeft = left.delete(seq);
      if ((seq <= settledTo && !isLeft) || !wants(lane.subscription, event)) return undefined;
      open.add(seq);
      const id = deliveryIdOf(event.id, group.plugin, key);
      const job = { id, lane, event, attempt: 1, isLive };
      if (isOverdue) return job;
      queues.add(job);
      return undefined;
    },
    skipTo: (seq) => {
      const skipped = seq - readTo;
      readTo = seq;
      for (const one of left) if (one <= seq) left.delete(one);
      return skipped;
    },
    addRetry: (job) => {
      const { seq } = job.event;
      if (seq > readTo || open.has(seq)) return false;
      retries.push(job);
      return true;
    },
    next: () => {
      const job = mayRetry() ? retries.shift() : queues.next();
      if (!job) return undefined;
      inFlight += 1;
      if (isRetry(job)) retriesInFlight += 1;
      return job;
    },
    ended: (job) => {
      inFlight -= 1;
      if (isRetry(job)) retriesInFlight -= 1;
      else queues.ended(job);
    },
    settled: (job) => {
      if (isRetry(job)) return;
      open.delete(job.event.seq);
      settledTo = Math.max(settledTo, job.event.seq);
    },
    rewind: () => {
      const forgotten = retries;
      retries = [];
      const waiting = queues.clear().map(({ event }) => event.seq);
      if (waiting.length === 0) return forgotten;
      // What is in flight, or ended and not written, stays open and is not read again.
      settledTo = Math.max(settledTo, readTo);
      for (const seq of waiting) {
        left.add(seq);
        open.delete(seq);
      }
      readTo = Math.min(...waiting) - 1;
      return forgotten;
    },
    isSettled: () => open.size === 0 && inFlight + retries.length === 0,
    drain: () => {
      const jobs = [...queues.clear(), ...retries];
      retries = [];
      return jobs;
    },
    position: () => {
      const unsettled = [...open, ...left].sort((one, other) => one - other);
      const [first] = unsettled;
      const upTo = Math.max(settledTo, first === undefined ? readTo : 0);
      const at = first === undefined ? upTo : first - 1;
      return {
        ...{ key, at, upTo: Math.max(at, upTo), open: unsettled.filter((seq) => seq <= upTo) },
        ...(!lane.breaker.isClosed() && { isPaused: true }),
      };
    },
  };
  return lane;
};

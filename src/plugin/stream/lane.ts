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

/** The keys of one plugin in one tenant (tenant-group.ts). */
export interface Group extends CursorAddress {
  readonly subscriber: DurableSubscriber;
  readonly find: (key: string) => Lane | undefined;
  readonly isOpen: () => boolean;
  readonly isClosed: () => boolean;
  /** It belongs to another gateway now. */
  readonly isLost: () => boolean;
  /** Whether an attempt may start: its subscriptions were read just now. If not, they are read. */
  readonly isFresh: () => boolean;
  /** When the subscriptions were surely as they are known; by the steady clock. */
  readonly freshAt: () => number;
  readonly refresh: () => void;
  /** Reads on for keys that have room, or for this one. Call it when something has changed. */
  readonly pump: (lane?: Lane) => void;
  /** Reads no more; what waits is forgotten. */
  readonly close: (options?: { readonly isLost: boolean }) => void;
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

const isRetry = ({ revision }: Job): boolean => revision !== undefined;

/**
 * One key of a tenant's subscriptions: its position in the log, and what it has read ahead, in
 * queues by resource. Nothing here waits or writes; the group reads, the sender sends.
 */
export class Lane {
  readonly group: Group;
  readonly key: string;
  readonly breaker: CircuitBreaker;
  subscription: Subscription;
  /** The subscriber no longer serves the key. */
  isEnded = false;
  private readonly queues = createResourceQueues();
  private waitingRetries: Job[] = [];
  private attempts = 0;
  private retriesInFlight = 0;
  private lastRead: number;
  /** Wanted events up to `lastRead` without a written result. */
  private readonly open = new Set<number>();
  /** The highest settled position; those between `lastRead` and it were settled before, but for `left`. */
  private settledTo: number;
  private readonly left: Set<number>;

  constructor(parts: {
    readonly group: Group;
    readonly subscription: Subscription;
    readonly position: KeyPosition;
    readonly limits: StreamLimits;
  }) {
    this.group = parts.group;
    this.subscription = parts.subscription;
    this.key = parts.subscription.key;
    this.breaker = createCircuitBreaker(parts.limits);
    this.lastRead = parts.position.at;
    this.settledTo = parts.position.upTo;
    this.left = new Set(parts.position.open);
  }

  inFlight(): number {
    return this.attempts;
  }

  /** Events that are queued. */
  queued(): number {
    return this.queues.size();
  }

  /** Retries that wait. */
  retries(): number {
    return this.waitingRetries.length;
  }

  /** The last position that was read. */
  readTo(): number {
    return this.lastRead;
  }

  /** Whether there is something to send, leaving aside caps. */
  isReady(): boolean {
    return this.queues.hasReady() || this.mayRetry();
  }

  /** Whether the next job was committed here just now. */
  isNextLive(): boolean {
    return !this.mayRetry() && this.queues.peek()?.isLive === true;
  }

  /** Whether no result of an event that was read is to come. */
  isSettled(): boolean {
    return this.open.size === 0 && this.attempts + this.waitingRetries.length === 0;
  }

  /**
   * Takes the next event of the log; returns it as a job if it is to be ended without an attempt,
   * because the receiver has been silent for too long.
   */
  take(event: DomainEvent, options: { isLive: boolean; isOverdue: boolean }): Job | undefined {
    const { seq } = event;
    this.lastRead = seq;
    const isLeft = this.left.delete(seq);
    if ((seq <= this.settledTo && !isLeft) || !wants(this.subscription, event)) return undefined;
    this.open.add(seq);
    const id = deliveryIdOf(event.id, this.group.plugin, this.key);
    const job = { id, lane: this, event, attempt: 1, isLive: options.isLive };
    if (options.isOverdue) return job;
    this.queues.add(job);
    return undefined;
  }

  /** The log has lost the events up to this position; returns how many. */
  skipTo(seq: number): number {
    const skipped = seq - this.lastRead;
    this.lastRead = seq;
    for (const one of this.left) if (one <= seq) this.left.delete(one);
    return skipped;
  }

  /** Queues a retry, unless its first attempt is still to come here. */
  addRetry(job: Job): boolean {
    const { seq } = job.event;
    if (seq > this.lastRead || this.open.has(seq)) return false;
    this.waitingRetries.push(job);
    return true;
  }

  /** The next job, which is in flight from now on. */
  next(): Job | undefined {
    const job = this.mayRetry() ? this.waitingRetries.shift() : this.queues.next();
    if (!job) return undefined;
    this.attempts += 1;
    if (isRetry(job)) this.retriesInFlight += 1;
    return job;
  }

  /** Its attempt has ended. */
  ended(job: Job): void {
    this.attempts -= 1;
    if (isRetry(job)) this.retriesInFlight -= 1;
    else this.queues.ended(job);
  }

  /** Its result is written: the position may pass it. */
  settled(job: Job): void {
    if (isRetry(job)) return;
    this.open.delete(job.event.seq);
    this.settledTo = Math.max(this.settledTo, job.event.seq);
  }

  /** Forgets what waits, to read it again later; returns the retries among it. */
  rewind(): readonly Job[] {
    const forgotten = this.waitingRetries;
    this.waitingRetries = [];
    const waiting = this.queues.clear().map(({ event }) => event.seq);
    if (waiting.length === 0) return forgotten;
    // What is in flight, or ended and not written, stays open and is not read again.
    this.settledTo = Math.max(this.settledTo, this.lastRead);
    for (const seq of waiting) {
      this.left.add(seq);
      this.open.delete(seq);
    }
    this.lastRead = Math.min(...waiting) - 1;
    return forgotten;
  }

  /** Takes out what waits, to end it without an attempt. */
  drain(): readonly Job[] {
    const jobs = [...this.queues.clear(), ...this.waitingRetries];
    this.waitingRetries = [];
    return jobs;
  }

  position(): KeyPosition {
    const { key, breaker, settledTo, lastRead } = this;
    const unsettled = [...this.open, ...this.left].sort((one, other) => one - other);
    const [first] = unsettled;
    const upTo = Math.max(settledTo, first === undefined ? lastRead : 0);
    const at = first === undefined ? upTo : first - 1;
    return {
      ...{ key, at, upTo: Math.max(at, upTo), open: unsettled.filter((seq) => seq <= upTo) },
      ...(!breaker.isClosed() && { isPaused: true }),
    };
  }

  /** Retries take at most half of the slots, so that neither kind starves the other. */
  private mayRetry(): boolean {
    const most = Math.max(1, this.group.subscriber.concurrency / 2);
    return this.waitingRetries.length > 0 && this.retriesInFlight < most;
  }
}

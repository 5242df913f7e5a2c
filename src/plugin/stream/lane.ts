import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { CursorAddress, KeyPosition, MovedCursor } from '../../ports/event-stream.js';
import type { DurableSubscriber, Subscription } from '../contract/contract.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { Shared } from './stream-parts.js';

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

/** The keys of one plugin in one tenant, as those see them that send and write (tenant-group.ts). */
export interface Group extends CursorAddress {
  readonly subscriber: DurableSubscriber;
  readonly isClosed: () => boolean;
  /** It belongs to another gateway now: nothing of it is written. */
  readonly isLost: () => boolean;
  readonly lose: () => void;
  /** Whether an attempt may start: its subscriptions were read just now. If not, they are read. */
  readonly isFresh: () => boolean;
  /** Reads on for this key if it has room. */
  readonly pump: (lane: Lane) => void;
  /** The positions now, if they are other than those last written. */
  readonly moved: () => MovedCursor | undefined;
  readonly written: (moved: MovedCursor) => void;
}

/** Whether the subscription wants an event of this name at this position. */
export const wants = (
  { events, after = 0 }: Subscription,
  { name, seq }: Pick<DomainEvent, 'name' | 'seq'>,
): boolean => seq > after && (!events || seq > (events.get(name) ?? Infinity));

const isRetry = ({ revision }: Job): boolean => revision !== undefined;

/**
 * One key of a tenant's subscriptions: its position in the log, and what it has read ahead, in
 * queues by resource. Nothing here waits or writes; the group reads, the sender sends.
 */
export class Lane {
  readonly key: string;
  readonly breaker: CircuitBreaker;
  private readonly memory: Shared['memory'];
  /** What waits, in order; of each resource, the first may go unless one is in flight (pipeline-rules.md 12). */
  private readonly queue = new Map<number, Job>();
  private readonly busyResources = new Set<string>();
  private waitingRetries: Job[] = [];
  /** Retries that wait, are in flight, or have ended since they were last read. */
  private readonly heldRetries = new Set<DeliveryId>();
  private endedRetries: DeliveryId[] = [];
  private attempts = 0;
  private retriesInFlight = 0;
  /** The last attempt that began. */
  private wasRetry = false;
  private lastRead: number;
  /** Wanted events up to `lastRead` without a written result. */
  private readonly open = new Set<number>();
  /** The highest settled position; those between `lastRead` and it were settled before, but for `left`. */
  private settledTo: number;
  private readonly left: Set<number>;

  constructor(
    readonly group: Group,
    public subscription: Subscription,
    position: KeyPosition,
    { limits, memory }: Pick<Shared, 'limits' | 'memory'>,
  ) {
    this.key = subscription.key;
    this.breaker = new CircuitBreaker(limits);
    this.memory = memory;
    this.lastRead = position.at;
    this.settledTo = position.upTo;
    this.left = new Set(position.open);
  }

  inFlight(): number {
    return this.attempts;
  }

  /** Events that are queued. */
  queued(): number {
    return this.queue.size;
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
    return this.mayRetry() || this.first() !== undefined;
  }

  /** Whether the next job was committed here just now. */
  isNextLive(): boolean {
    return !this.mayRetry() && this.first()?.isLive === true;
  }

  /** Whether no result of an event that was read, or of a retry, is to come. */
  isSettled(): boolean {
    return this.open.size === 0 && this.heldRetries.size === this.endedRetries.length;
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
    this.queue.set(seq, job);
    this.memory.queued += 1;
    return undefined;
  }

  /** The log has lost the events up to this position; returns how many. */
  skipTo(seq: number): number {
    const skipped = seq - this.lastRead;
    this.lastRead = seq;
    for (const one of this.left) if (one <= seq) this.left.delete(one);
    return skipped;
  }

  /** Retries are read now: what is found of those that have ended is new. */
  readsRetries(): void {
    for (const id of this.endedRetries) this.heldRetries.delete(id);
    this.endedRetries = [];
  }

  /** Queues a retry, unless it is here or its first attempt is still to come here. */
  addRetry(job: Job): void {
    const { seq } = job.event;
    if (seq > this.lastRead || this.open.has(seq) || this.heldRetries.has(job.id)) return;
    this.waitingRetries.push(job);
    this.heldRetries.add(job.id);
  }

  /** The next job, which is in flight from now on. */
  next(): Job | undefined {
    const retry = this.mayRetry() ? this.waitingRetries.shift() : undefined;
    const job = retry ?? this.first();
    if (!job) return undefined;
    this.attempts += 1;
    this.wasRetry = retry !== undefined;
    if (retry) this.retriesInFlight += 1;
    else this.start(job);
    return job;
  }

  /** Its attempt has ended. */
  ended(job: Job): void {
    this.attempts -= 1;
    if (isRetry(job)) this.retriesInFlight -= 1;
    else this.busyResources.delete(job.event.resource.id);
  }

  /** Its result is written: the position may pass it. */
  settled(job: Job): void {
    if (isRetry(job)) return void this.endedRetries.push(job.id);
    const { seq } = job.event;
    this.open.delete(seq);
    this.settledTo = Math.max(this.settledTo, seq);
  }

  /** Forgets what waits, to read it again later. */
  rewind(): void {
    this.endedRetries.push(...this.waitingRetries.map(({ id }) => id));
    this.waitingRetries = [];
    const waiting = [...this.queue.keys()];
    this.queue.clear();
    this.memory.queued -= waiting.length;
    if (waiting.length === 0) return;
    // What is in flight, or ended and not written, stays open and is not read again.
    this.settledTo = Math.max(this.settledTo, this.lastRead);
    for (const seq of waiting) {
      this.left.add(seq);
      this.open.delete(seq);
    }
    this.lastRead = Math.min(...waiting) - 1;
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

  private first(): Job | undefined {
    for (const job of this.queue.values())
      if (!this.busyResources.has(job.event.resource.id)) return job;
    return undefined;
  }

  private start({ event }: Job): void {
    this.queue.delete(event.seq);
    this.memory.queued -= 1;
    this.busyResources.add(event.resource.id);
  }

  /** Retries take at most half of the slots, so that neither kind starves the other. */
  private mayRetry(): boolean {
    if (this.waitingRetries.length === 0) return false;
    const { concurrency } = this.group.subscriber;
    // With a single slot, they take turns.
    if (concurrency === 1) return !this.wasRetry || this.first() === undefined;
    return this.retriesInFlight < concurrency / 2;
  }
}

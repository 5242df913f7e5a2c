import type { TenantId } from '../../domain/kernel/ids.js';
import type { Cursor, CursorAddress, MovedCursor } from '../../ports/event-stream.js';
import type { DurableSubscriber, Subscription } from '../contract/contract.js';
import type { Engine } from './engine.js';
import { type Group, Lane } from './lane.js';

/** Where a tenant's log ends, as a commit or a query has seen it. */
export interface Head {
  readonly seq: number;
  /** The version of the plugin's records at that position, and when it was surely theirs. */
  readonly confirms?: { readonly version: number; readonly at: number };
}

const NO_CURSOR: Cursor = { base: 0, keys: [] };
/** Events that a key reads ahead while all keys together have read ahead enough. */
const SCARCE = 4;
/** Empty pages after which the rest of the log counts as expired. */
const MAX_EMPTY_PAGES = 5;

const startOf = ({ key, after }: Subscription, { base, keys }: Cursor) => {
  const stored = keys.find((one) => one.key === key);
  if (stored && stored.at >= (after ?? 0)) return stored;
  const at = after ?? base;
  return { key, at, upTo: at, open: [] };
};

/**
 * The subscriptions of one plugin in one tenant, which this gateway owns: reads the log for them
 * and keeps what is known of them fresh. Exists only while there is something to do, and a while
 * longer.
 */
export class TenantGroup implements Group {
  readonly plugin: string;
  readonly tenantId: TenantId;
  readonly subscriber: DurableSubscriber;
  /** Of the partition when this was opened. */
  readonly token: number;
  private readonly lanesByKey = new Map<string, Lane>();
  private readonly reading = new Set<Lane>();
  private readonly emptyPages = new Map<Lane, number>();
  private cursor: Cursor | undefined;
  private head = 0;
  /** Subscriptions are known as of this position, and were read at this time. */
  private knownTo = -1;
  private readAt = -Infinity;
  private version: number | undefined;
  /** Of which the subscriptions must be read. */
  private nextVersion: number | undefined;
  private isRefreshing = false;
  private hasClosed = false;
  private hasLost = false;
  private lastUsedAt: number;
  private lastWritten = '';

  constructor(
    address: CursorAddress & { readonly subscriber: DurableSubscriber; readonly token: number },
    private readonly engine: Engine,
  ) {
    this.plugin = address.plugin;
    this.tenantId = address.tenantId;
    this.subscriber = address.subscriber;
    this.token = address.token;
    this.lastUsedAt = engine.clock.now();
  }

  /** When something last happened; by the steady clock. */
  usedAt(): number {
    return this.lastUsedAt;
  }

  lanes(): Iterable<Lane> {
    return this.lanesByKey.values();
  }

  find(key: string): Lane | undefined {
    return this.lanesByKey.get(key);
  }

  /** Whether its position and subscriptions are known. */
  isOpen(): boolean {
    return this.knownTo >= 0 && !this.hasClosed;
  }

  isClosed(): boolean {
    return this.hasClosed;
  }

  isLost(): boolean {
    return this.hasLost;
  }

  freshAt(): number {
    return this.readAt;
  }

  isFresh(): boolean {
    const { clock, limits } = this.engine;
    if (this.isOpen() && clock.now() - this.readAt < limits.freshMs) return true;
    this.refresh();
    return false;
  }

  /** Nothing is read, queued or in flight. */
  isIdle(): boolean {
    const isDone = (lane: Lane): boolean => lane.readTo() >= this.knownTo && lane.isSettled();
    const isReading = this.isRefreshing || this.reading.size > 0;
    return !isReading && this.head <= this.knownTo && [...this.lanes()].every(isDone);
  }

  /** The log has grown, or its end is confirmed. */
  extend({ seq, confirms }: Head): void {
    this.lastUsedAt = this.engine.clock.now();
    this.head = Math.max(this.head, seq);
    if (confirms && confirms.version === this.version && this.knownTo >= 0) {
      this.knownTo = Math.max(this.knownTo, seq);
      this.readAt = Math.max(this.readAt, confirms.at);
    } else if (confirms) {
      this.nextVersion = confirms.version;
      this.readAt = -Infinity;
      this.knownTo = Math.min(this.knownTo, this.head - 1);
    }
    this.pump();
  }

  /** Reads the subscriptions again. Failures are retried by the next round. */
  refresh(): void {
    if (this.isRefreshing || this.hasClosed) return;
    this.isRefreshing = true;
    this.readSubscriptions()
      .then(() => {
        this.isRefreshing = false;
        this.pump();
      })
      .catch((cause: unknown) => {
        this.isRefreshing = false;
        this.engine.outage.failed(cause);
      });
  }

  pump(changed?: Lane): void {
    if (this.hasClosed) return;
    if (this.head > this.knownTo) this.refresh();
    for (const lane of changed ? [changed] : this.lanes()) this.pumpLane(lane);
  }

  close({ isLost } = { isLost: false }): void {
    this.hasClosed = true;
    this.hasLost ||= isLost;
    for (const lane of this.lanes()) this.engine.retries.forget(lane.rewind());
  }

  moved(): MovedCursor | undefined {
    if (!this.cursor || this.hasLost) return undefined;
    const { plugin, tenantId, token } = this;
    const keys = [...this.lanes()].map((lane) => lane.position());
    const low = keys.length === 0 ? this.knownTo : Math.min(...keys.map(({ at }) => at));
    if (JSON.stringify([low, keys]) === this.lastWritten) return undefined;
    return { plugin, tenantId, token, low, keys };
  }

  written({ low, keys }: MovedCursor): void {
    this.lastWritten = JSON.stringify([low, keys]);
  }

  private async readSubscriptions(): Promise<void> {
    const { clock, store, groups, outage, retries } = this.engine;
    const startedAt = clock.now();
    const [headBefore, versionBefore] = [this.head, this.nextVersion];
    const wasOpen = this.isOpen();
    const subscriptions = await this.subscriber.subscriptions(this.tenantId);
    // A tenant that never had any has no cursor.
    const needsCursor = subscriptions.length > 0 || (this.nextVersion ?? 0) > 0;
    const known = this.cursor ?? (needsCursor ? await store.claim(this, this.token) : NO_CURSOR);
    if (this.hasClosed) return;
    if (!known) {
      groups.lose(this);
      return;
    }
    this.applySubscriptions(subscriptions, known);
    this.readAt = startedAt;
    this.version = versionBefore;
    this.knownTo = Math.max(this.knownTo, headBefore);
    outage.succeeded();
    if (!wasOpen) void retries.poll().catch(outage.failed);
  }

  private applySubscriptions(subscriptions: readonly Subscription[], known: Cursor): void {
    const byKey = new Map(subscriptions.map((one) => [one.key, one]));
    const before = new Set([...this.lanesByKey.keys(), ...known.keys.map(({ key }) => key)]);
    for (const key of before) if (!byKey.has(key)) this.endKey(key);
    if (known !== NO_CURSOR)
      this.cursor = { ...known, keys: known.keys.filter(({ key }) => byKey.has(key)) };
    const { limits } = this.engine;
    for (const [key, subscription] of byKey) {
      const lane = this.lanesByKey.get(key);
      const position = startOf(subscription, known);
      if (lane) lane.subscription = subscription;
      else this.lanesByKey.set(key, new Lane({ group: this, subscription, position, limits }));
    }
  }

  private endKey(key: string): void {
    const { plugin, tenantId } = this;
    const lane = this.lanesByKey.get(key);
    if (lane) lane.isEnded = true;
    this.engine.outcomes.keyEnded(lane, { plugin, tenantId, key });
    this.lanesByKey.delete(key);
  }

  private pumpLane(lane: Lane): void {
    if (this.hasClosed) return;
    while (lane.readTo() < this.knownTo && this.hasRoom(lane)) {
      if (this.takeNext(lane)) continue;
      this.readPage(lane);
      break;
    }
    if (lane.isReady()) this.engine.sender.ready(lane);
  }

  private hasRoom(lane: Lane): boolean {
    const { clock, limits, groups, results } = this.engine;
    const most = groups.queued() < limits.maxQueued ? limits.readAhead : SCARCE;
    const room = Math.min(most, lane.breaker.capacity(clock.now()) - lane.inFlight());
    // While results wait to be written, nothing is given up.
    const mayGiveUp = lane.breaker.isClosed() || results.waiting() <= 2 * limits.maxUnsettled;
    return !lane.isEnded && mayGiveUp && lane.queued() < room;
  }

  private takeNext(lane: Lane): boolean {
    const { cache, outcomes } = this.engine;
    const cached = cache.get(this.tenantId, lane.readTo() + 1);
    if (!cached) return false;
    const { event, isLive } = cached;
    const isOverdue = !lane.breaker.isClosed() && outcomes.isOverdue(this.subscriber, event);
    const givenUp = lane.take(event, { isLive, isOverdue });
    if (givenUp) outcomes.giveUp(givenUp);
    return true;
  }

  private readPage(lane: Lane): void {
    if (this.reading.has(lane)) return;
    this.reading.add(lane);
    const { cache, outage } = this.engine;
    const after = lane.readTo();
    cache
      .read(this.tenantId, after)
      .then((first) => {
        outage.succeeded();
        this.reading.delete(lane);
        if (first !== undefined) this.emptyPages.delete(lane);
        // Without a page now, the next round reads again.
        if (lane.readTo() === after && first !== after + 1) this.noteGap(lane, first);
        if (first !== undefined) this.pumpLane(lane);
      })
      .catch((cause: unknown) => {
        this.reading.delete(lane);
        outage.failed(cause);
      });
  }

  private noteGap(lane: Lane, first: number | undefined): void {
    const pages = first === undefined ? (this.emptyPages.get(lane) ?? 0) + 1 : 0;
    this.emptyPages.set(lane, pages);
    if (first === undefined && pages < MAX_EMPTY_PAGES) return;
    const last = first === undefined ? this.knownTo : first - 1;
    if (last > lane.readTo()) this.engine.outcomes.expired(lane, lane.skipTo(last));
  }
}

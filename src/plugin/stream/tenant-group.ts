import type { TenantId } from '../../domain/kernel/ids.js';
import {
  type Cursor,
  type CursorAddress,
  type MovedCursor,
  partitionOf,
} from '../../ports/event-stream.js';
import { systemClock } from '../contract/clock.js';
import type { DurableSubscriber, Subscription } from '../contract/contract.js';
import { giveUpAfter } from './attempt.js';
import { type Group, Lane } from './lane.js';
import type { LogCache } from './log-cache.js';
import type { Partitions } from './partitions.js';
import type { Results } from './results.js';
import type { Sender } from './sender.js';
import type { Shared } from './stream-parts.js';

/** What groups use of the stream. */
export interface GroupParts extends Shared {
  readonly cache: LogCache;
  readonly partitions: Partitions;
  readonly results: Results;
  readonly sender: Sender;
}

/** Where a tenant's log ends, as a commit or a query has seen it. */
export interface Head {
  readonly seq: number;
  /** The version of the plugin's records at that position, and when it was surely theirs. */
  readonly confirms?: { readonly version: number; readonly at: number };
}

/** Events that a key reads ahead while all keys together have read ahead enough. */
const SCARCE = 4;

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
  readonly partition: number;
  private readonly lanesByKey = new Map<string, Lane>();
  private readonly reading = new Set<Lane>();
  /** As it was claimed; its positions until they have lanes. */
  private cursor: Cursor | undefined;
  /** The end of the log, and the version of the plugin's records there. */
  private head = 0;
  private version: number | undefined;
  /** The subscriptions in memory: of which version, up to which position, and when they were surely so. */
  private known = { version: undefined as number | undefined, upTo: -1, at: -Infinity };
  private refreshing: Promise<void> | undefined;
  private hasClosed = false;
  private hasLost = false;
  private grownAt = systemClock.now();
  private lastWritten = '';

  constructor(
    { plugin, tenantId }: CursorAddress,
    readonly subscriber: DurableSubscriber,
    /** Of the partition, at the time. */
    private readonly token: number,
    private readonly parts: GroupParts,
  ) {
    this.plugin = plugin;
    this.tenantId = tenantId;
    this.partition = partitionOf(tenantId);
  }

  lanes(): Iterable<Lane> {
    return this.lanesByKey.values();
  }

  find(key: string): Lane | undefined {
    return this.lanesByKey.get(key);
  }

  /** Whether its position and subscriptions are known. */
  isOpen(): boolean {
    return this.known.upTo >= 0 && !this.isClosed();
  }

  isClosed(): boolean {
    return this.hasClosed || this.isLost();
  }

  isLost(): boolean {
    // Once it counts as lost it stays so, since what ended meanwhile is forgotten.
    this.hasLost ||= !this.parts.partitions.holds(this.partition, this.token);
    return this.hasLost;
  }

  /** When the subscriptions were surely as they are known; by the steady clock. */
  freshAt(): number {
    return this.known.at;
  }

  isFresh(): boolean {
    const { freshMs } = this.parts.limits;
    if (this.isOpen() && systemClock.now() - this.known.at < freshMs) return true;
    void this.refresh();
    return false;
  }

  /** Nothing is read, queued or in flight, and no key is paused: it would forget that. */
  isIdle(): boolean {
    const { upTo } = this.known;
    const isReading = this.refreshing !== undefined || this.reading.size > 0 || this.head > upTo;
    const isIdle = (lane: Lane): boolean =>
      lane.readTo() >= upTo && lane.isSettled() && lane.breaker.capacity(systemClock.now()) > 0;
    return !isReading && [...this.lanes()].every(isIdle);
  }

  /** Whether nothing has been added to the log for a while. */
  isQuiet(): boolean {
    return systemClock.now() - this.grownAt > this.parts.limits.idleMs;
  }

  /** The log has grown, or its end is confirmed. */
  extend({ seq, confirms }: Head): void {
    if (seq > this.head) this.grownAt = systemClock.now();
    this.head = Math.max(this.head, seq);
    const { version, upTo, at } = this.known;
    if (confirms && confirms.version === version && this.isOpen()) {
      this.known = { version, upTo: Math.max(upTo, seq), at: Math.max(at, confirms.at) };
    } else if (confirms) {
      this.version = confirms.version;
      this.known = { version, upTo: Math.min(upTo, this.head - 1), at: -Infinity };
    }
    this.pump();
  }

  /** Reads the subscriptions again. A failure is repeated by the next round. */
  refresh(): Promise<void> {
    if (this.isClosed()) return Promise.resolve();
    return (this.refreshing ??= this.readAndPump());
  }

  /** Reads on for keys that have room, or for this one. */
  pump(changed?: Lane): void {
    if (this.isClosed()) return;
    if (this.head > this.known.upTo) void this.refresh();
    for (const lane of changed ? [changed] : this.lanes()) this.pumpLane(lane);
  }

  /** Reads no more; what waits is forgotten. */
  close(): void {
    this.hasClosed = true;
    for (const lane of this.lanes()) lane.rewind();
  }

  lose(): void {
    this.hasLost = true;
    this.close();
    this.parts.sender.abort(({ lane }) => lane.group === this);
  }

  moved(): MovedCursor | undefined {
    if (!this.cursor || this.isLost()) return undefined;
    const { plugin, tenantId, token } = this;
    const keys = [...this.lanes()].map((lane) => lane.position());
    const low = keys.length === 0 ? this.known.upTo : Math.min(...keys.map(({ at }) => at));
    if (JSON.stringify([low, keys]) === this.lastWritten) return undefined;
    return { plugin, tenantId, token, low, keys };
  }

  written({ low, keys }: MovedCursor): void {
    this.lastWritten = JSON.stringify([low, keys]);
  }

  private async readAndPump(): Promise<void> {
    try {
      await this.readSubscriptions().finally(() => (this.refreshing = undefined));
      this.pump();
    } catch (cause) {
      this.parts.outage.failed(cause);
    }
  }

  private async readSubscriptions(): Promise<void> {
    const { store, outage } = this.parts;
    const at = systemClock.now();
    const { head, version } = this;
    const subscriptions = await this.subscriber.subscriptions(this.tenantId);
    // A tenant that never had any has no cursor.
    const claims = !this.cursor && (subscriptions.length > 0 || (this.version ?? 0) > 0);
    const cursor = claims ? await store.claim(this, this.token) : this.cursor;
    // Without the keys of what was claimed, a group that is closed now would write none.
    if (this.isClosed()) return;
    if (claims && !cursor) {
      this.lose();
      return;
    }
    this.cursor = cursor;
    this.apply(subscriptions);
    this.known = { version, upTo: Math.max(this.known.upTo, head), at };
    outage.succeeded();
  }

  private apply(subscriptions: readonly Subscription[]): void {
    const cursor = this.cursor ?? { base: 0, keys: [] };
    const served = new Set(subscriptions.map(({ key }) => key));
    for (const key of [...this.lanesByKey.keys(), ...cursor.keys.map((one) => one.key)])
      if (!served.has(key)) this.endKey(key);
    for (const subscription of subscriptions) {
      const known = this.find(subscription.key);
      if (known) known.subscription = subscription;
      const position = startOf(subscription, cursor);
      const lane = known ?? new Lane(this, subscription, position, this.parts);
      this.lanesByKey.set(lane.key, lane);
    }
    this.cursor &&= { ...cursor, keys: [] };
  }

  /** The subscriber no longer serves the key. */
  private endKey(key: string): void {
    const { plugin, tenantId } = this;
    this.find(key)?.rewind();
    this.lanesByKey.delete(key);
    this.parts.results.dropRetries({ plugin, tenantId, key });
  }

  private pumpLane(lane: Lane): void {
    // What was under way may end after the key, or after the group.
    if (this.find(lane.key) !== lane || this.isClosed()) return;
    while (lane.readTo() < this.known.upTo && this.hasRoom(lane)) {
      if (this.takeNext(lane)) continue;
      if (!this.reading.has(lane)) this.readPage(lane).catch(this.parts.outage.failed);
      break;
    }
    if (lane.isReady()) this.parts.sender.ready(lane);
  }

  private hasRoom(lane: Lane): boolean {
    const { limits, memory } = this.parts;
    const most = memory.queued < limits.maxQueued ? limits.readAhead : SCARCE;
    const room = Math.min(most, lane.breaker.capacity(systemClock.now()) - lane.inFlight());
    // While results wait to be written, nothing is given up.
    const mayGiveUp =
      lane.breaker.isClosed() || this.parts.results.held() <= 2 * limits.maxUnsettled;
    return mayGiveUp && lane.queued() < room;
  }

  private takeNext(lane: Lane): boolean {
    const { cache, results, databaseTime } = this.parts;
    const cached = cache.get(this.tenantId, lane.readTo() + 1);
    if (!cached) return false;
    const { event, isLive } = cached;
    const isOverdue =
      !lane.breaker.isClosed() &&
      databaseTime().getTime() - event.at.getTime() > giveUpAfter(this.subscriber.retry);
    const givenUp = lane.take(event, { isLive, isOverdue });
    if (givenUp)
      results.end(givenUp, { ending: { kind: 'failed' }, reason: 'No response for too long.' });
    return true;
  }

  private async readPage(lane: Lane): Promise<void> {
    const { cache, outage } = this.parts;
    const after = lane.readTo();
    this.reading.add(lane);
    const first = await cache.read(this.tenantId, after).finally(() => this.reading.delete(lane));
    outage.succeeded();
    if (lane.readTo() === after && first !== after + 1) this.passExpired(lane, first);
    // Without a page now, the next round reads again.
    if (first !== undefined) this.pumpLane(lane);
  }

  /** The log begins later than the lane: what it has lost is not passed silently. */
  private passExpired(lane: Lane, first: number | undefined): void {
    // Without any event, the last ones may only be under way.
    if (first === undefined && !this.isQuiet()) return;
    const last = first === undefined ? this.known.upTo : first - 1;
    if (last <= lane.readTo()) return;
    const events = lane.skipTo(last);
    const { plugin, tenantId: tenant } = this;
    this.parts.results.count(plugin, 'failed', events);
    this.parts.log.error(
      { plugin, tenant, target: lane.key, upTo: last, events },
      'The log no longer has events that were not delivered.',
    );
  }
}

import type { KeyAddress, Retry } from '../../ports/event-stream.js';
import { systemClock } from '../contract/clock.js';
import { giveUpAfter } from './attempt.js';
import type { Groups } from './groups.js';
import type { Lane } from './lane.js';
import type { GroupParts, TenantGroup } from './tenant-group.js';

/** Retries of one key in memory. */
const MAX_PER_KEY = 128;
/** Retries of one read. */
const BATCH = 512;
/** Reads of one poll, while each is full. */
const MAX_READS = 16;
/** After the last retry that was seen or expected, in milliseconds: longer than a step of most schedules. */
const QUIET_MS = 60_000;

const addressOf = ({ key, group: { plugin, tenantId } }: Lane): KeyAddress => ({
  plugin,
  tenantId,
  key,
});

const takesMore = (lane: Lane): boolean =>
  lane.breaker.capacity(systemClock.now()) > lane.inFlight() && lane.retries() < MAX_PER_KEY;

/** Reads retries when they are due. They are in the database only: an owner that dies loses none. */
export class Retries {
  /** Keys that take none now, of those that had due ones. */
  private readonly blocked = new Set<Lane>();
  private busyUntil = systemClock.now() + QUIET_MS;
  private polling: Promise<void> | undefined;
  private pollingNext: Promise<void> | undefined;

  constructor(private readonly parts: GroupParts & { readonly groups: Groups }) {}

  /** Reads what is due now: after the read in progress, which may have missed it. */
  poll(): Promise<void> {
    if (!this.polling)
      return (this.polling = this.read().finally(() => (this.polling = undefined)));
    const next = (): Promise<void> => {
      this.pollingNext = undefined;
      return this.poll();
    };
    return (this.pollingNext ??= this.polling.then(next, next));
  }

  /** Retries will be due after this time. */
  expect(inMs: number): void {
    this.busyUntil = Math.max(this.busyUntil, systemClock.now() + inMs + QUIET_MS);
  }

  /** Whether none was found or expected for a while: polls may be rare. */
  isQuiet(): boolean {
    return systemClock.now() > this.busyUntil;
  }

  /** Results of the key are written: the next ones follow if it had more than it took. */
  written(lane: Lane): void {
    if (this.blocked.has(lane) && lane.retries() === 0 && takesMore(lane)) this.pollSoon();
  }

  /** Fails the retries of receivers that have not responded for too long. */
  async giveUp(): Promise<void> {
    for (const lane of [...this.parts.groups.lanes()]) {
      if (lane.breaker.isClosed()) continue;
      const { plugin, subscriber } = lane.group;
      const dueForMs = giveUpAfter(subscriber.retry);
      const ended = await this.parts.store.giveUpRetries(addressOf(lane), dueForMs);
      this.parts.results.count(plugin, 'failed', ended);
    }
  }

  pollSoon(): void {
    void this.poll().catch(this.parts.outage.failed);
  }

  private async read(): Promise<void> {
    const { partitions, groups } = this.parts;
    for (const lane of this.blocked)
      if (lane.group.isClosed() || takesMore(lane)) this.blocked.delete(lane);
    for (const lane of groups.lanes()) lane.readsRetries();
    const query = { plugins: this.parts.plugins, partitions: partitions.owned(), limit: BATCH };
    if (query.partitions.length === 0) return;
    const except = [...this.blocked].map(addressOf);
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const due = await this.parts.store.dueRetries({ ...query, except });
      if (due.length > 0) this.expect(0);
      const byKey = new Map<string, Retry[]>();
      for (const retry of due) {
        const name = `${retry.plugin}:${retry.tenantId} ${retry.key}`;
        byKey.set(name, [...(byKey.get(name) ?? []), retry]);
      }
      for (const ofKey of byKey.values()) {
        this.add(ofKey);
        // Keys that fill a read hide no others, whether or not they take what they have.
        except.push(...ofKey.slice(0, 1));
      }
      if (due.length < BATCH) break;
    }
  }

  /** Due ones of one key. */
  private add(retries: readonly Retry[]): void {
    const [first] = retries;
    const group = first && this.parts.groups.open(first.plugin, first.tenantId);
    if (!group) return;
    const lane = group.isOpen() ? group.find(first.key) : undefined;
    if (lane) this.queue(retries, lane);
    else this.addUnserved(first, group);
  }

  private queue(retries: readonly Retry[], lane: Lane): void {
    for (const retry of retries) {
      const { id, attempts, revision, event } = retry;
      if (!takesMore(lane)) this.blocked.add(lane);
      else if (event)
        lane.addRetry({ id, lane, event, attempt: attempts + 1, revision, isLive: false });
      else this.expired(retry);
    }
    this.parts.sender.ready(lane);
  }

  /** The key may be newer than the subscriptions in memory: they are read again before it counts as ended. */
  private addUnserved(address: KeyAddress, group: TenantGroup): void {
    const foundAt = systemClock.now();
    void group.refresh().then(() => {
      if (!group.isOpen()) return;
      if (group.find(address.key)) this.pollSoon();
      else if (group.freshAt() >= foundAt) this.parts.results.dropRetries(address);
    });
  }

  /** The log no longer has its event. */
  private expired({ event: _none, ...retry }: Retry): void {
    const reason = 'The log no longer has the event.';
    const result = { ...retry, event: undefined, ending: { kind: 'failed' }, reason } as const;
    this.parts.store.record([result]).catch(this.parts.outage.failed);
  }
}

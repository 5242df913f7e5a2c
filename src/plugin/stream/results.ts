import type { DeliveryResult, Ending, KeyAddress } from '../../ports/event-stream.js';
import { systemClock } from '../contract/clock.js';
import type { Group, Job } from './lane.js';
import type { Partitions } from './partitions.js';
import type { Shared } from './stream-parts.js';

/** A job that has ended, with or without an attempt. */
export interface EndedJob {
  readonly job: Job;
  readonly result: DeliveryResult;
}

type Kind = Ending['kind'];

/**
 * Writes results in batches over all tenants, and then the positions that they allow: the records
 * first, so that a position never passes an event that nothing else knows of.
 */
export class Results {
  /** How deliveries, and attempts that are followed by others, have ended, by plugin. */
  readonly endings: ReadonlyMap<string, Record<Kind, number>>;
  private waiting: EndedJob[] = [];
  /** Recorded; their positions are not written. */
  private recorded: EndedJob[] = [];
  private attempts = 0;
  private turn = Promise.resolve();
  /** That write, or wait for their turn. */
  private writers = 0;
  private hasFailed = false;
  private isStopped = false;
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly parts: Shared & {
      readonly partitions: Partitions;
      /** Results and their positions are written. */
      readonly onWritten: (written: readonly EndedJob[]) => void;
    },
  ) {
    const none = { delivered: 0, retry: 0, failed: 0, dropped: 0 };
    this.endings = new Map(parts.plugins.map((plugin) => [plugin, { ...none }]));
  }

  /** Ended attempts whose position is not written: a crash now would repeat them. */
  unwritten(): number {
    return this.attempts;
  }

  /** With what ended without an attempt. */
  held(): number {
    return this.waiting.length + this.recorded.length;
  }

  /** A delivery has ended, or an attempt of it. */
  end(job: Job, ended: Pick<DeliveryResult, 'ending' | 'reason' | 'attempt'>): void {
    const { id, lane, event, attempt, revision } = job;
    const result: DeliveryResult = {
      ...{ id, plugin: lane.group.plugin, key: lane.key, event, ...ended },
      attempts: ended.attempt ? attempt : attempt - 1,
      ...(revision !== undefined && { revision }),
    };
    this.waiting.push({ job, result });
    if (ended.attempt) this.attempts += 1;
    this.schedule();
  }

  count(plugin: string, kind: Kind, deliveries = 1): void {
    const counts = this.endings.get(plugin);
    if (counts) counts[kind] += deliveries;
  }

  /** Drops what waits for a retry under a key that is no longer served. */
  dropRetries(key: KeyAddress): void {
    const { store, outage } = this.parts;
    store
      .dropRetries(key)
      .then((dropped) => this.count(key.plugin, 'dropped', dropped))
      // The next poll finds them again.
      .catch(outage.failed);
  }

  /** Writes what is there now, and these groups' positions; what fails is repeated later. */
  write(groups: readonly Group[] = []): Promise<void> {
    this.writers += 1;
    // In turn, so that a backlog keeps no one waiting.
    return (this.turn = this.turn.then(() => this.writeNow(groups)));
  }

  /** Tries no more. */
  stop(): void {
    this.isStopped = true;
    this.cancelTimer?.();
  }

  private async writeNow(groups: readonly Group[]): Promise<void> {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    if (this.held() + groups.length > 0) this.hasFailed = !(await this.writeBatch(groups));
    this.writers -= 1;
    this.schedule();
  }

  private schedule(): void {
    if (this.isStopped || this.writers > 0 || this.held() === 0) return;
    const { limits } = this.parts;
    const isFull = this.waiting.length >= limits.writeResults;
    if (isFull && !this.hasFailed) return void this.write();
    // Without a database, a try a second is cheap, and soon enough after it has returned.
    const inMs = this.hasFailed ? limits.roundMs : limits.writeMs;
    this.cancelTimer ??= systemClock.after(inMs, () => void this.write());
  }

  private async writeBatch(groups: readonly Group[]): Promise<boolean> {
    const { store, outage } = this.parts;
    const batch = [...this.waiting];
    try {
      if (!this.parts.partitions.isTrusted()) throw new Error('The heartbeat is late.');
      // What another gateway does now is not ours to record.
      const ours = batch.filter(({ job }) => !job.lane.group.isLost());
      await store.record(ours.map(({ result }) => result));
      this.waiting = this.waiting.slice(batch.length);
      for (const { job } of batch) job.lane.settled(job);
      this.recorded.push(...batch);
      const done = this.recorded;
      await this.movePositions(new Set([...done.map(({ job }) => job.lane.group), ...groups]));
      this.recorded = [];
      this.attempts -= done.filter(({ result }) => result.attempt).length;
      for (const { result } of done) this.count(result.plugin, result.ending.kind);
      outage.succeeded();
      this.parts.onWritten(done);
      return true;
    } catch (cause) {
      outage.failed(cause);
      return false;
    }
  }

  private async movePositions(groups: ReadonlySet<Group>): Promise<void> {
    const moved = [...groups].flatMap((group) => {
      const cursor = group.moved();
      return cursor ? [{ group, cursor }] : [];
    });
    const lost = new Set(await this.parts.store.move(moved.map(({ cursor }) => cursor)));
    for (const { group, cursor } of moved) {
      if (lost.has(cursor)) group.lose();
      else group.written(cursor);
    }
  }
}

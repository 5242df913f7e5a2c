import type { EndedJob, Engine } from './engine.js';
import type { Group } from './lane.js';
import { backoffMs } from './outage.js';

const RETRY = { firstMs: 125, maxMs: 30_000 };

/**
 * Writes results in batches over all tenants, and then the positions that they allow: the records
 * first, so that a position never passes an event that nothing else knows of.
 */
export const createResults = (engine: Engine) => {
  const { store, clock, random, limits, outage } = engine;
  let waiting: EndedJob[] = [];
  /** Recorded; their positions are not written. */
  let recorded: EndedJob[] = [];
  let writing: Promise<boolean> | undefined;
  let isUrgent = false;
  let failures = 0;
  let attempts = 0;
  let isStopped = false;
  let cancelTimer: (() => void) | undefined;

  const isOurs = ({ job }: EndedJob): boolean => !job.lane.group.isLost();

  const movePositions = async (groups: ReadonlySet<Group>): Promise<void> => {
    const moved = [...groups].flatMap((group) => {
      const cursor = group.moved();
      return cursor ? [{ group, cursor }] : [];
    });
    const lost = new Set(await store.move(moved.map(({ cursor }) => cursor)));
    for (const { group, cursor } of moved) {
      if (lost.has(cursor)) engine.groups.lose(group);
      else group.written(cursor);
    }
  };

  const writeBatch = async (groups: readonly Group[]): Promise<boolean> => {
    const batch = [...waiting];
    try {
      if (!engine.partitions.isTrusted()) throw new Error('The heartbeat is late.');
      // What another gateway does now is not ours to record.
      await store.record(batch.filter(isOurs).map(({ result }) => result));
      waiting = waiting.slice(batch.length);
      for (const { job } of batch) job.lane.settled(job);
      recorded.push(...batch);
      const done = recorded;
      const ofBatch = done.map(({ job }) => job.lane.group);
      await movePositions(new Set([...ofBatch, ...groups]));
      recorded = [];
      attempts -= done.filter(({ result }) => result.attempt).length;
      failures = 0;
      outage.succeeded();
      engine.outcomes.written(done);
      return true;
    } catch (cause) {
      failures += 1;
      outage.failed(cause);
      return false;
    }
  };

  const schedule = (): void => {
    if (isStopped || writing || waiting.length + recorded.length === 0) return;
    const isDue = isUrgent || waiting.length >= limits.writeResults;
    if (isDue && failures === 0) return void write();
    cancelTimer ??= clock.after(
      failures === 0 ? limits.writeMs : backoffMs(failures, RETRY, random),
      () => void write(),
    );
  };

  /** Writes what is there now, and these groups' positions; false where the database did not take it. */
  const write = async (groups: readonly Group[] = []): Promise<boolean> => {
    while (writing) await writing;
    cancelTimer?.();
    cancelTimer = undefined;
    isUrgent = false;
    if (waiting.length + recorded.length + groups.length === 0) return true;
    writing = writeBatch(groups);
    try {
      return await writing;
    } finally {
      writing = undefined;
      schedule();
    }
  };

  return {
    add: (ended: EndedJob): void => {
      waiting.push(ended);
      if (ended.result.attempt) attempts += 1;
      schedule();
    },
    /** Lets what is there wait no longer: places are needed. */
    writeSoon: (): void => {
      isUrgent = true;
      schedule();
    },
    write,
    /** Ended attempts whose position is not written: a crash now would repeat them. */
    unwritten: (): number => attempts,
    /** With what ended without an attempt. */
    waiting: (): number => waiting.length + recorded.length,
    /** Tries no more. */
    stop: (): void => {
      isStopped = true;
      cancelTimer?.();
    },
  };
};

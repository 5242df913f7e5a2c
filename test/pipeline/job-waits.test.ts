import { NEVER, Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobId, TenantId } from '../../src/domain/kernel/ids.js';
import type { Job } from '../../src/domain/job/job.js';
import { createJobWaits, type JobWaitParts } from '../../src/pipeline/jobs.js';
import { idOf, NOW, TENANT_ID } from '../support/builders.js';

const ID = idOf<JobId>(1);
const STARTED = { id: ID, done: 0, total: 500 };

const aJob = (done: number, isFinished = false): Job => ({
  ...STARTED,
  done,
  tenantId: TENANT_ID,
  work: { kind: 'roles.recompute', rosterId: null },
  cursor: '',
  readableBy: [],
  requestId: 'request-1',
  createdAt: NOW,
  updatedAt: NOW,
  finishedAt: isFinished ? NOW : null,
});

const log = { warn: () => undefined, error: () => undefined };

/** The result of each read of the database; the last one is repeated. */
const waitsOver = (
  reads: readonly (readonly Job[] | Error)[],
  more: Partial<JobWaitParts> = {},
) => {
  const findByIds = vi.fn((_tenantId: TenantId, _ids: readonly JobId[]) => {
    const read = reads[Math.min(findByIds.mock.calls.length, reads.length) - 1] ?? [];
    return read instanceof Error ? Promise.reject(read) : Promise.resolve(read);
  });
  return {
    findSome: findByIds,
    awaitJobs: createJobWaits({ findByIds, steps$: NEVER, log, ...more }),
  };
};

/** The state of a wait so far. */
const watched = (wait: Promise<unknown>) => {
  const seen: { result?: unknown; isOver: boolean } = { isOver: false };
  void wait.then((result) => Object.assign(seen, { result, isOver: true }));
  return seen;
};

describe('a wait for jobs', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends with the last step of this instance', async () => {
    const steps$ = new Subject<Job>();
    const { awaitJobs } = waitsOver([[aJob(0)]], { steps$ });
    const wait = watched(awaitJobs(TENANT_ID, [STARTED], new AbortController().signal));
    steps$.next(aJob(250));
    await vi.advanceTimersByTimeAsync(0);
    expect(wait.isOver).toBe(false);
    steps$.next(aJob(500, true));
    await vi.advanceTimersByTimeAsync(0);
    expect(wait).toEqual({ isOver: true, result: undefined });
  });

  it('ends when another instance is done, by polling twice a second', async () => {
    const { awaitJobs, findSome: findByIds } = waitsOver([
      [aJob(250)],
      [aJob(250)],
      [aJob(500, true)],
    ]);
    const wait = watched(awaitJobs(TENANT_ID, [STARTED], new AbortController().signal));
    await vi.advanceTimersByTimeAsync(999);
    expect([wait.isOver, findByIds.mock.calls.length]).toEqual([false, 2]);
    await vi.advanceTimersByTimeAsync(1);
    expect(wait).toEqual({ isOver: true, result: undefined });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(findByIds).toHaveBeenCalledTimes(3);
  });

  it('polls once for all waits', async () => {
    const { awaitJobs, findSome: findByIds } = waitsOver([[aJob(0)]]);
    for (let client = 0; client < 50; client += 1)
      void awaitJobs(TENANT_ID, [STARTED], new AbortController().signal);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(findByIds.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it('ends after 20 s with the progress of the job', async () => {
    const { awaitJobs } = waitsOver([[aJob(250)]]);
    const wait = watched(awaitJobs(TENANT_ID, [STARTED], new AbortController().signal));
    await vi.advanceTimersByTimeAsync(19_999);
    expect(wait.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(wait).toMatchObject({ isOver: true, result: { id: ID, done: 250, total: 500 } });
  });

  it('ends immediately if the client disconnects or the gateway stops', async () => {
    const { awaitJobs, findSome: findByIds } = waitsOver([[aJob(0)]]);
    const leaving = new AbortController();
    const wait = watched(awaitJobs(TENANT_ID, [STARTED], leaving.signal));
    leaving.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(wait).toMatchObject({ isOver: true, result: { id: ID } });
    const later = watched(awaitJobs(TENANT_ID, [STARTED], leaving.signal));
    await vi.advanceTimersByTimeAsync(0);
    expect(later.isOver).toBe(true);
    const reads = findByIds.mock.calls.length;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(findByIds).toHaveBeenCalledTimes(reads);
  });

  it('continues while the database is unavailable', async () => {
    const { awaitJobs } = waitsOver([
      new Error('unavailable'),
      new Error('unavailable'),
      [aJob(500, true)],
    ]);
    const wait = watched(awaitJobs(TENANT_ID, [STARTED], new AbortController().signal));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(wait).toEqual({ isOver: true, result: undefined });
  });

  it('ends immediately if the job no longer exists or none was started', async () => {
    const { awaitJobs } = waitsOver([[]]);
    const { signal } = new AbortController();
    expect(await awaitJobs(TENANT_ID, [], signal)).toBeUndefined();
    const wait = watched(awaitJobs(TENANT_ID, [STARTED], signal));
    await vi.advanceTimersByTimeAsync(0);
    expect(wait).toEqual({ isOver: true, result: undefined });
  });
});

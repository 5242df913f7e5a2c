import { NEVER, Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobId, TenantId } from '../../src/domain/ids.js';
import type { Job } from '../../src/domain/job.js';
import { createJobWaits, type JobWaitParts } from '../../src/pipeline/job-waits.js';
import { idOf, NOW, TENANT_ID } from '../support/builders.js';

const ID = idOf<JobId>(1);
const BEGUN = { id: ID, done: 0, total: 500 };

const aJob = (done: number, isFinished = false): Job => ({
  ...BEGUN,
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

/** What the database says of jobs, one look after the other; then the last for ever. */
const waitsOver = (
  looks: readonly (readonly Job[] | Error)[],
  more: Partial<JobWaitParts> = {},
) => {
  const findSome = vi.fn((_tenantId: TenantId, _ids: readonly JobId[]) => {
    const look = looks[Math.min(findSome.mock.calls.length, looks.length) - 1] ?? [];
    return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
  });
  return { findSome, awaitJobs: createJobWaits({ findSome, steps$: NEVER, log, ...more }) };
};

/** What a wait has come to so far. */
const watched = (wait: Promise<unknown>) => {
  const seen: { result?: unknown; isOver: boolean } = { isOver: false };
  void wait.then((result) => Object.assign(seen, { result, isOver: true }));
  return seen;
};

describe('a wait for jobs', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends with the last step that this instance does', async () => {
    const steps$ = new Subject<Job>();
    const { awaitJobs } = waitsOver([[aJob(0)]], { steps$ });
    const wait = watched(awaitJobs(TENANT_ID, [BEGUN], new AbortController().signal));
    steps$.next(aJob(250));
    await vi.advanceTimersByTimeAsync(0);
    expect(wait.isOver).toBe(false);
    steps$.next(aJob(500, true));
    await vi.advanceTimersByTimeAsync(0);
    expect(wait).toEqual({ isOver: true, result: undefined });
  });

  it('ends when another instance has done the job, which it looks for twice a second', async () => {
    const { awaitJobs, findSome } = waitsOver([[aJob(250)], [aJob(250)], [aJob(500, true)]]);
    const wait = watched(awaitJobs(TENANT_ID, [BEGUN], new AbortController().signal));
    await vi.advanceTimersByTimeAsync(999);
    expect([wait.isOver, findSome.mock.calls.length]).toEqual([false, 2]);
    await vi.advanceTimersByTimeAsync(1);
    expect(wait).toEqual({ isOver: true, result: undefined });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(findSome).toHaveBeenCalledTimes(3);
  });

  it('asks once for all that wait', async () => {
    const { awaitJobs, findSome } = waitsOver([[aJob(0)]]);
    for (let client = 0; client < 50; client += 1)
      void awaitJobs(TENANT_ID, [BEGUN], new AbortController().signal);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(findSome.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it('is over after 20 s, with how far the job is', async () => {
    const { awaitJobs } = waitsOver([[aJob(250)]]);
    const wait = watched(awaitJobs(TENANT_ID, [BEGUN], new AbortController().signal));
    await vi.advanceTimersByTimeAsync(19_999);
    expect(wait.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(wait).toMatchObject({ isOver: true, result: { id: ID, done: 250, total: 500 } });
  });

  it('is over at once where the client or the gateway leaves', async () => {
    const { awaitJobs, findSome } = waitsOver([[aJob(0)]]);
    const leaving = new AbortController();
    const wait = watched(awaitJobs(TENANT_ID, [BEGUN], leaving.signal));
    leaving.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(wait).toMatchObject({ isOver: true, result: { id: ID } });
    const later = watched(awaitJobs(TENANT_ID, [BEGUN], leaving.signal));
    await vi.advanceTimersByTimeAsync(0);
    expect(later.isOver).toBe(true);
    const asked = findSome.mock.calls.length;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(findSome).toHaveBeenCalledTimes(asked);
  });

  it('continues while the database is away', async () => {
    const { awaitJobs } = waitsOver([new Error('away'), new Error('away'), [aJob(500, true)]]);
    const wait = watched(awaitJobs(TENANT_ID, [BEGUN], new AbortController().signal));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(wait).toEqual({ isOver: true, result: undefined });
  });

  it('is for nothing where the job is no more, or none was begun', async () => {
    const { awaitJobs } = waitsOver([[]]);
    const { signal } = new AbortController();
    expect(await awaitJobs(TENANT_ID, [], signal)).toBeUndefined();
    const wait = watched(awaitJobs(TENANT_ID, [BEGUN], signal));
    await vi.advanceTimersByTimeAsync(0);
    expect(wait).toEqual({ isOver: true, result: undefined });
  });
});

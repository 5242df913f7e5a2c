import {
  catchError,
  EMPTY,
  exhaustMap,
  firstValueFrom,
  from,
  fromEvent,
  merge,
  type Observable,
  of,
  Subject,
  type Subscription,
  timer,
} from 'rxjs';
import type { JobId, TenantId } from '../domain/ids.js';
import type { Job, JobProgress } from '../domain/job.js';
import type { PipelineLog } from './pipeline-log.js';

/**
 * Waits for jobs, for as long as a response may wait for its job (decisions.md 3) and no longer than
 * the signal lets it. Resolves with the first that is not done, or undefined if all of them are.
 */
export type AwaitJobs = (
  tenantId: TenantId,
  jobs: readonly JobProgress[],
  signal: AbortSignal,
) => Promise<JobProgress | undefined>;

export interface JobWaitParts {
  /** Those of a tenant's jobs that exist; rejects while the database is away. */
  readonly findSome: (tenantId: TenantId, ids: readonly JobId[]) => Promise<readonly Job[]>;
  /** Jobs as the steps of this instance leave them. */
  readonly steps$: Observable<Job>;
  readonly log: PipelineLog;
  /** How long a response waits, in milliseconds. */
  readonly waitMs?: number;
}

const WAIT_MS = 20_000;
/** How often jobs that another instance runs are looked at, all those of a tenant in one query. */
const POLL_MS = 500;

interface Wait {
  readonly tenantId: TenantId;
  readonly open: Map<JobId, JobProgress>;
  readonly done$: Subject<void>;
}

/**
 * One for the instance. What its own steps do is heard at once; only jobs without a step here since
 * the last look are queried, and nothing is queried while no response waits.
 */
export const createJobWaits = ({
  findSome,
  steps$,
  log,
  waitMs = WAIT_MS,
}: JobWaitParts): AwaitJobs => {
  const waits = new Set<Wait>();
  const steppedHere = new Set<JobId>();
  let polling: Subscription | undefined;

  const note = (id: JobId, job: Job | undefined): void => {
    for (const { open, done$ } of waits) {
      if (!open.has(id)) continue;
      // One that is no more will not be waited for either: its tenant was deleted.
      if (job && job.finishedAt === null) open.set(id, job);
      else open.delete(id);
      if (open.size === 0) done$.next();
    }
  };

  const openJobs = (): ReadonlyMap<TenantId, readonly JobId[]> => {
    const byTenant = new Map<TenantId, JobId[]>();
    for (const { tenantId, open } of waits)
      for (const id of open.keys())
        if (!steppedHere.has(id)) byTenant.set(tenantId, [...(byTenant.get(tenantId) ?? []), id]);
    return byTenant;
  };

  const poll = async (): Promise<void> => {
    const asked = openJobs();
    steppedHere.clear();
    for (const [tenantId, ids] of asked) {
      const found = new Map((await findSome(tenantId, ids)).map((job) => [job.id, job]));
      for (const id of ids) note(id, found.get(id));
    }
  };

  const startPolling = (): Subscription =>
    timer(0, POLL_MS)
      .pipe(
        exhaustMap(() =>
          from(poll()).pipe(
            catchError((error: unknown) => {
              log.warn({ err: error }, 'jobs could not be looked at; trying again');
              return EMPTY;
            }),
          ),
        ),
      )
      .subscribe();

  steps$.subscribe({
    next: (job) => {
      if (waits.size === 0) return;
      steppedHere.add(job.id);
      note(job.id, job);
    },
    error: (error: unknown) => log.error({ err: error }, 'the stream of job steps has ended'),
  });

  return async (tenantId, jobs, signal) => {
    if (jobs.length === 0) return undefined;
    const wait = {
      tenantId,
      open: new Map(jobs.map((job) => [job.id, job])),
      done$: new Subject<void>(),
    };
    waits.add(wait);
    polling ??= startPolling();
    const aborted$ = signal.aborted ? of(undefined) : fromEvent(signal, 'abort');
    await firstValueFrom(merge(wait.done$, aborted$, timer(waitMs)));
    waits.delete(wait);
    if (waits.size === 0) {
      polling.unsubscribe();
      polling = undefined;
      steppedHere.clear();
    }
    return [...wait.open.values()][0];
  };
};

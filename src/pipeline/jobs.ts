import {
  firstValueFrom,
  timer,
  catchError,
  EMPTY,
  exhaustMap,
  from,
  fromEvent,
  merge,
  type Observable,
  of,
  Subject,
  type Subscription,
} from 'rxjs';
import type { Job, JobProgress } from '../domain/job/job.js';
import type { CommitStore } from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';
import type { Submit } from './submit.js';
import type { JobId, TenantId } from '../domain/kernel/ids.js';

interface JobRunnerParts {
  readonly submit: Submit;
  readonly store: Pick<CommitStore, 'findAbandonedJobs'>;
  readonly log: PipelineLog;
  readonly isStopping: () => boolean;
  /** Called with the job after each step. */
  readonly onStep: (job: Job) => void;
}

interface JobRunner {
  /** Runs a job until it is done. Does nothing if it is already running here. */
  readonly run: (job: Job) => void;
  readonly resumeAbandoned: () => Promise<void>;
  /** Resolves when no step is running; other instances run the rest of the jobs. */
  readonly ended: () => Promise<void>;
}

/** After a failed step, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Runs jobs step by step in the lane of their tenant. Between two steps the lane runs whatever else
 * has arrived, so a job neither blocks other commands nor starves (pipeline-rules.md 9). Two
 * instances may run the same job: each step reads the cursor from the database.
 */
export const createJobRunner = ({
  submit,
  store,
  log,
  isStopping,
  onStep,
}: JobRunnerParts): JobRunner => {
  const running = new Map<string, Promise<void>>();

  const step = async ({ tenantId, id, requestId }: Job): Promise<'more' | 'done' | 'failed'> => {
    const outcome = await submit<'job.step'>({
      tenantId,
      command: { type: 'job.step', jobId: id },
      actor: { kind: 'system', name: 'jobs' },
      source: 'system',
      requestId,
    });
    if (!outcome.ok) return 'failed';
    if (outcome.result) onStep(outcome.result);
    return outcome.result === null || outcome.result.finishedAt !== null ? 'done' : 'more';
  };

  const runAll = async (job: Job): Promise<void> => {
    while (!isStopping()) {
      const result = await step(job);
      if (result === 'done') return;
      if (result === 'failed' && !isStopping()) {
        log.warn({ job: job.id, tenant: job.tenantId }, 'a job step failed; retrying');
        await firstValueFrom(timer(RETRY_MS));
      }
    }
  };

  const run = (job: Job): void => {
    if (running.has(job.id)) return;
    const work = runAll(job)
      .catch((error: unknown) => log.error({ err: error, job: job.id }, 'a job stopped'))
      .finally(() => running.delete(job.id));
    running.set(job.id, work);
  };

  return {
    run,
    resumeAbandoned: async () => (await store.findAbandonedJobs()).forEach(run),
    ended: async () => {
      await Promise.all(running.values());
    },
  };
};

/**
 * Waits until all jobs are done, up to the time that a response may wait for its job (decisions.md 3)
 * or until the signal aborts. Resolves with the first job that is not done, or undefined.
 */
export type AwaitJobs = (
  tenantId: TenantId,
  jobs: readonly JobProgress[],
  signal: AbortSignal,
) => Promise<JobProgress | undefined>;

export interface JobWaitParts {
  /** The jobs with these ids that exist. Rejects while the database is unavailable. */
  readonly findByIds: (tenantId: TenantId, ids: readonly JobId[]) => Promise<readonly Job[]>;
  /** The jobs of this instance after each step. */
  readonly steps$: Observable<Job>;
  readonly log: PipelineLog;
  /** Maximum time that a response waits, in milliseconds. */
  readonly waitMs?: number;
}

const MAX_WAIT_MS = 20_000;
/** How often jobs of other instances are read, one query per tenant. */
const POLL_MS = 500;

interface Wait {
  readonly tenantId: TenantId;
  readonly open: Map<JobId, JobProgress>;
  readonly done$: Subject<void>;
}

/**
 * Steps of this instance are observed directly. Only jobs without a step here since the last poll are
 * read from the database, and only while a response waits.
 */
export const createJobWaits = ({
  findByIds,
  steps$,
  log,
  waitMs = MAX_WAIT_MS,
}: JobWaitParts): AwaitJobs => {
  const waits = new Set<Wait>();
  const steppedHere = new Set<JobId>();
  let polling: Subscription | undefined;

  const update = (id: JobId, job: Job | undefined): void => {
    for (const { open, done$ } of waits) {
      if (!open.has(id)) continue;
      // A job that no longer exists counts as done: its tenant was deleted.
      if (job && job.finishedAt === null) open.set(id, job);
      else open.delete(id);
      if (open.size === 0) done$.next();
    }
  };

  const unobservedJobs = (): ReadonlyMap<TenantId, readonly JobId[]> => {
    const byTenant = new Map<TenantId, JobId[]>();
    for (const { tenantId, open } of waits)
      for (const id of open.keys())
        if (!steppedHere.has(id)) byTenant.set(tenantId, [...(byTenant.get(tenantId) ?? []), id]);
    return byTenant;
  };

  const poll = async (): Promise<void> => {
    const unobserved = unobservedJobs();
    steppedHere.clear();
    for (const [tenantId, ids] of unobserved) {
      const found = new Map((await findByIds(tenantId, ids)).map((job) => [job.id, job]));
      for (const id of ids) update(id, found.get(id));
    }
  };

  const startPolling = (): Subscription =>
    timer(0, POLL_MS)
      .pipe(
        exhaustMap(() =>
          from(poll()).pipe(
            catchError((error: unknown) => {
              log.warn({ err: error }, 'awaited jobs could not be read; retrying');
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
      update(job.id, job);
    },
    error: (error: unknown) => log.error({ err: error }, 'the stream of job steps has stopped'),
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

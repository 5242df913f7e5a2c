import {
  catchError,
  concatMap,
  defer,
  map,
  mergeWith,
  type Observable,
  of,
  pipe,
  share,
  Subject,
} from 'rxjs';
import type { Limits, Rules } from '../domain/kernel/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { Job } from '../domain/job/job.js';
import { announce } from './announce.js';
import { authorise } from './authorise.js';
import { type Arrival, arrivalOf, type Batch, batchOf } from './batch.js';
import { commit } from './commit.js';
import type { CommitStore } from './commit-store.js';
import { gatherAndDecide } from './gather-and-decide.js';
import type { QueueLimits } from './intake/command-queue.js';
import { createIntake } from './intake/intake.js';
import { afterIo, inLanes, linger } from './intake/lanes.js';
import { createJobRunner } from './job-runner.js';
import type { OutboxPlanner } from '../outbox/outbox-planner.js';
import type { PipelineLog } from './pipeline-log.js';
import { createPostponements } from './postpone.js';
import { type PreviewCommand, createPreview } from './preview.js';
import { recover } from './recover.js';
import type { Outcome, Submit } from './submit.js';
import { type CommandTraces, NO_TRACES } from './trace-commands.js';

export interface PipelineParts {
  readonly store: CommitStore;
  readonly outbox: OutboxPlanner;
  readonly rules: Rules;
  readonly log: PipelineLog;
  readonly limits?: QueueLimits;
  /** How much one commit changes. Tests lower it, so that jobs start early. Default: LIMITS. */
  readonly changeLimits?: Limits;
  /** Maximum weight of a batch, also while other tenants are active. */
  readonly maxBatchWeight?: number;
  readonly random?: () => number;
  /** Absent: commands are not traced. */
  readonly traces?: CommandTraces;
  /** How long a command may wait for a job or for other instances' commits, in milliseconds. */
  readonly maxWaitMs?: number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
}

export interface Pipeline {
  readonly submit: Submit;
  /** The events that this instance commits. */
  readonly events$: Observable<DomainEvent>;
  /** The jobs of this instance after each step. */
  readonly jobSteps$: Observable<Job>;
  readonly preview: PreviewCommand;
  /** Resumes jobs whose instance crashed or was stopped. */
  readonly resumeJobs: () => Promise<void>;
  /** Number of commands that wait or run. */
  readonly depth: () => number;
  /** Whether commands have waited or run for most of the last quarter of a second. */
  readonly isBusy: () => boolean;
  /** Refuses all further commands; resolves when none is in flight. */
  readonly drain: () => Promise<void>;
}

const MAX_WAIT_MS = 20_000;
/** Concurrent transactions over all tenants (pipeline-rules.md 9). */
const MAX_TRANSACTIONS = 8;

/**
 * The six stages of a command: admit ▸ authorise ▸ [gather ▸ decide ▸ commit ▸ announce]. Those in
 * brackets run for a batch, one batch at a time per tenant.
 */
export const startPipeline = (parts: PipelineParts): Pipeline => {
  const { store, outbox, rules, log, changeLimits: limits, random = Math.random } = parts;
  const { maxWaitMs: maxWaitMs = MAX_WAIT_MS, traces = NO_TRACES } = parts;
  const arrivals$ = new Subject<Arrival>();
  const events$ = new Subject<DomainEvent>();
  const jobSteps$ = new Subject<Job>();

  const submit: Submit = (submission) =>
    new Promise((resolve) => {
      const arrival = arrivalOf(submission, resolve as (outcome: Outcome) => void);
      arrivals$.next(traces.arrived(arrival));
    });
  const intake = createIntake({
    limits: parts.limits,
    maxBatchWeight: parts.maxBatchWeight,
    elapsed: parts.elapsed,
  });
  const { isStopping } = intake;
  const { due$, postpone } = createPostponements({ isStopping, maxWaitMs });
  const jobs = createJobRunner({
    submit,
    store,
    log,
    isStopping,
    onStep: (job) => jobSteps$.next(job),
  });

  const decideBatch = concatMap(
    traces.timed(gatherAndDecide({ store, rules, log, limits }), 'decide'),
  );
  const commitBatch = concatMap(
    traces.timed(commit(store, outbox, rules.describeRecord), 'commit'),
  );
  const announceBatch = concatMap(
    announce({
      store,
      outbox,
      log,
      emit: (event) => events$.next(event),
      postpone,
      runJob: jobs.run,
    }),
  );
  const batchStages = pipe(decideBatch, commitBatch, map(traces.committed), announceBatch);
  const run = (batch: Batch): Observable<unknown> =>
    defer(() => of(batch)).pipe(
      batchStages,
      catchError((error: unknown) => recover({ run, store, log, random, maxWaitMs }, batch, error)),
    );

  const laneOptions = {
    laneOf: ({ envelope }: Arrival) => envelope.tenantId,
    takeBatch: intake.takeBatch,
    concurrency: MAX_TRANSACTIONS,
    linger,
    afterIo,
  };
  arrivals$
    .pipe(
      intake.admit,
      authorise,
      mergeWith(due$),
      inLanes(laneOptions, (arrivals) => run(batchOf(arrivals))),
    )
    .subscribe({
      error: (error: unknown) => log.error({ err: error }, 'the pipeline has stopped'),
    });

  return {
    submit,
    preview: createPreview({ store, rules, log, limits }),
    events$: events$.pipe(share()),
    jobSteps$: jobSteps$.asObservable(),
    resumeJobs: jobs.resumeAbandoned,
    depth: intake.depth,
    isBusy: intake.isBusy,
    drain: async () => {
      await intake.drain();
      await jobs.ended();
    },
  };
};

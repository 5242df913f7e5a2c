import {
  catchError,
  concatMap,
  map,
  mergeWith,
  type Observable,
  type ObservableInput,
  of,
  type OperatorFunction,
  share,
  Subject,
} from 'rxjs';
import type { Limits, Rules } from '../domain/kernel/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { Job } from '../domain/job/job.js';
import { internalError, type Refusal, refuse } from '../domain/kernel/refusals.js';
import { announce } from './announce.js';
import { authorise, createIntake } from './intake/intake.js';
import {
  type Arrival,
  arrivalOf,
  type Batch,
  batchOf,
  type CommittedBatch,
  type DecidedBatch,
} from './batch.js';
import { commit } from './commit.js';
import type { CommitStore } from './commit-store.js';
import { gatherAndDecide } from './gather-and-decide.js';
import type { QueueLimits } from './intake/command-queue.js';
import { afterIo, inLanes, linger } from './intake/lanes.js';
import { createJobRunner } from './jobs.js';
import { createSetupMarks } from './log/log-keys.js';
import { neverThrowing, type PipelineLog } from './pipeline-log.js';
import { createPostponements, recover } from './recover.js';
import { type PreviewCommand, createPreview } from './preview.js';
import type { Outcome, Submit } from './submit.js';
import { type CommandTraces, NO_TRACES } from './trace-commands.js';

export interface PipelineParts {
  readonly store: CommitStore;
  /** Called after each commit, and after a batch that changed nothing. Absent: no durable subscribers. */
  readonly deliver?: (committed: CommittedBatch) => void;
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
  /**
   * How long a command may wait for a job, for other instances' commits or for the result of its own
   * commit, in milliseconds.
   */
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
  /** Aborted, with the cause, if the pipeline has ended. Then every command is refused. */
  readonly failed: AbortSignal;
  /** Refuses all further commands; resolves when none is in flight. */
  readonly drain: () => Promise<void>;
}

const MAX_WAIT_MS = 20_000;
/** Concurrent transactions over all tenants (pipeline-rules.md 9). */
const MAX_TRANSACTIONS = 8;

const stopped = (): Refusal =>
  refuse('UNAVAILABLE', 'The gateway has failed and is restarting. Try again shortly.', {
    retryAfter: 1,
  });

/** Passes commands on as arrivals; refuses them once the pipeline has ended. */
const submitTo =
  (arrivals$: Subject<Arrival>, failed: AbortSignal, traces: CommandTraces): Submit =>
  (submission) =>
    new Promise((resolve) => {
      if (failed.aborted) {
        resolve({ ok: false, refusal: stopped() });
        return;
      }
      const arrival = arrivalOf(submission, resolve as (outcome: Outcome) => void);
      arrivals$.next(traces.arrived(arrival));
    });

interface BatchStages {
  readonly decide: OperatorFunction<Batch, DecidedBatch>;
  readonly commit: OperatorFunction<DecidedBatch, CommittedBatch>;
  readonly announce: (committed: CommittedBatch) => ObservableInput<unknown>;
  readonly recover: (batch: Batch, error: unknown) => ObservableInput<unknown>;
}

/**
 * Runs a batch. The catch covers decision and commit only: what follows a commit is outside of it, so
 * that no committed batch is run again.
 */
const runStages = (
  { decide, commit, announce, recover }: BatchStages,
  batch: Batch,
): Observable<unknown> =>
  of(batch).pipe(
    decide,
    commit,
    map((committed) => () => announce(committed)),
    catchError((error: unknown) => of(() => recover(batch, error))),
    concatMap((follow) => follow()),
  );

/**
 * The six stages of a command: admit ▸ authorise ▸ [gather ▸ decide ▸ commit ▸ announce]. Those in
 * brackets run for a batch, one batch at a time per tenant.
 */
export const startPipeline = (parts: PipelineParts): Pipeline => {
  const { store, rules, changeLimits: limits, random = Math.random } = parts;
  const { maxWaitMs = MAX_WAIT_MS, traces = NO_TRACES } = parts;
  const log = neverThrowing(parts.log);
  const arrivals$ = new Subject<Arrival>();
  const events$ = new Subject<DomainEvent>();
  const jobSteps$ = new Subject<Job>();

  const failure = new AbortController();
  const submit = submitTo(arrivals$, failure.signal, traces);
  const intake = createIntake({ ...parts, log });
  const { isStopping } = intake;
  const { due$, postpone } = createPostponements({ isStopping, maxWaitMs });
  const jobs = createJobRunner({
    submit,
    store,
    log,
    isStopping,
    onStep: (job) => jobSteps$.next(job),
  });

  const marks = createSetupMarks();
  const { describeRecord: describe } = rules;
  const run = (batch: Batch): Observable<unknown> => runStages(stages, batch);
  const stages: BatchStages = {
    decide: concatMap(traces.timed(gatherAndDecide({ store, rules, log, limits }), 'decide')),
    commit: concatMap(traces.timed(commit(store, { describe, mark: marks.mark }), 'commit')),
    announce: announce({
      store,
      log,
      notes: [traces.committed, ({ logged }) => marks.committed(logged)],
      emit: (event) => events$.next(event),
      postpone,
      runJob: jobs.run,
      deliver: parts.deliver ?? (() => undefined),
    }),
    recover: (batch, error) =>
      recover({ run, store, log, random, postpone, maxWaitMs }, batch, error),
  };

  const laneOptions = {
    laneOf: ({ envelope }: Arrival) => envelope.tenantId,
    takeBatch: intake.takeBatch,
    concurrency: MAX_TRANSACTIONS,
    linger,
    afterIo,
    failed: (error: unknown, arrivals: readonly Arrival[]) => {
      log.error({ err: error, commands: arrivals.length }, 'a lane failed; it continues');
      for (const { resolve } of arrivals) resolve({ ok: false, refusal: internalError() });
    },
  };
  const end = (cause: unknown): void => {
    log.error({ err: cause }, 'the pipeline has stopped');
    failure.abort(cause);
    intake.refuseAll(stopped());
  };
  arrivals$
    .pipe(
      intake.admit,
      authorise(log),
      mergeWith(due$),
      inLanes(laneOptions, (arrivals) => run(batchOf(arrivals))),
    )
    .subscribe({ error: end, complete: () => end(new Error('The stream has completed.')) });

  return {
    submit,
    preview: createPreview({ store, rules, log, limits }),
    events$: events$.pipe(share()),
    jobSteps$: jobSteps$.asObservable(),
    failed: failure.signal,
    resumeJobs: jobs.resumeAbandoned,
    depth: intake.depth,
    isBusy: intake.isBusy,
    drain: async () => {
      await intake.drain();
      await jobs.ended();
    },
  };
};

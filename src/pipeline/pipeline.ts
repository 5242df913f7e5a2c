import {
  catchError,
  concatMap,
  defer,
  filter,
  firstValueFrom,
  map,
  mergeWith,
  type MonoTypeOperatorFunction,
  type Observable,
  of,
  pipe,
  share,
  Subject,
  timer,
} from 'rxjs';
import type { Rules } from '../domain/decide/decider.js';
import type { Limits } from '../domain/decide/limits.js';
import type { DomainEvent } from '../domain/events.js';
import type { Job } from '../domain/job.js';
import { refusalFor } from '../domain/permissions.js';
import type { Refusal } from '../domain/refusals.js';
import { weightOf } from '../domain/weight.js';
import { Queue, type QueueLimits } from './admit.js';
import { announce } from './announce.js';
import type { Arrival, Batch } from './batch.js';
import { type BusyTime, createBusyTime } from './busy-time.js';
import { commit } from './commit.js';
import type { CommitStore } from './commit-store.js';
import { deliberate } from './deliberate.js';
import { createJobRunner } from './job-runner.js';
import { inLanes } from './lanes.js';
import { linger, turn } from './linger.js';
import { createNeighbours } from './neighbours.js';
import { newId } from './new-id.js';
import type { OutboxPlanner } from './outbox-planner.js';
import type { PipelineLog } from './pipeline-log.js';
import { type PreviewCommand, previewWith } from './preview.js';
import { recover } from './recover.js';
import type { Submit } from './submit.js';
import { takeBatch } from './take-batch.js';

export interface PipelineParts {
  readonly store: CommitStore;
  readonly outbox: OutboxPlanner;
  readonly rules: Rules;
  readonly log: PipelineLog;
  readonly limits?: QueueLimits;
  /** What one commit takes; absent: LIMITS. Tests lower it, so that jobs begin early. */
  readonly changeLimits?: Limits;
  /** What a batch weighs at most, beside other tenants too. */
  readonly largestBatch?: number;
  readonly random?: () => number;
  /** How long a command waits at most for its batch to get through other instances' commits. */
  readonly patienceMs?: number;
  /** Milliseconds since some moment, for how long lanes remember each other. Absent: by the process. */
  readonly elapsed?: () => number;
}

export interface Pipeline {
  readonly submit: Submit;
  /** What this instance commits, as it happens. */
  readonly events$: Observable<DomainEvent>;
  /** The jobs that this instance runs, as each step leaves them. */
  readonly jobSteps$: Observable<Job>;
  /** What a command would come to, without doing it. */
  readonly preview: PreviewCommand;
  /** Goes on with jobs that a crash, or another gateway's end, has left lying. */
  readonly takeUpJobs: () => Promise<void>;
  /** Commands that wait or run. */
  readonly depth: () => number;
  /** Whether commands waited or ran for most of the last quarter of a second. */
  readonly isBusy: () => boolean;
  /** Refuses what comes, ends when all that came is answered. */
  readonly drain: () => Promise<void>;
}

const MEBIBYTE = 1024 * 1024;
const LIMITS: QueueLimits = {
  perTenant: { weight: 20_000, bytes: 32 * MEBIBYTE },
  overall: { weight: 100_000, bytes: 128 * MEBIBYTE },
};
/** How long a command that has to wait for a job lets pass before it is decided again. */
const POSTPONE_MS = 100;
const PATIENCE_MS = 20_000;
/** Transactions under way at once, over all tenants (pipeline-rules.md 9). */
const TRANSACTIONS = 8;

/**
 * The way of every command: admit ▸ authorise ▸ [ gather ▸ decide ▸ commit ▸ announce ], the part
 * in brackets a batch at a time, in one lane a tenant.
 */
export const startPipeline = (parts: PipelineParts): Pipeline => {
  const { store, outbox, rules, log, random = Math.random, patienceMs = PATIENCE_MS } = parts;
  const queue = new Queue(parts.limits ?? LIMITS);
  const elapsed = parts.elapsed ?? (() => performance.now());
  const busyTime = createBusyTime(elapsed);
  const arrivals$ = new Subject<Arrival>();
  const again$ = new Subject<Arrival>();
  const events$ = new Subject<DomainEvent>();
  const emit = (event: DomainEvent) => events$.next(event);

  const submit = submitTo(arrivals$);
  const jobSteps$ = new Subject<Job>();
  const jobs = createJobRunner({
    submit,
    store,
    log,
    isStopping: () => queue.isStopping,
    stepped: (job) => jobSteps$.next(job),
  });
  const postpone = (arrival: Arrival, refusal: Refusal): void => {
    const hasWaited = performance.now() - arrival.receivedAt > patienceMs;
    if (queue.isStopping || hasWaited) arrival.answer({ ok: false, refusal });
    else void firstValueFrom(timer(POSTPONE_MS)).then(() => again$.next(arrival));
  };

  const stages = pipe(
    concatMap(deliberate({ store, rules, log, limits: parts.changeLimits })),
    concatMap(commit(store, outbox, rules.describeRecord)),
    concatMap(announce({ store, outbox, log, emit, postpone, runJob: jobs.run })),
  );
  const run = (batch: Batch): Observable<unknown> =>
    defer(() => of(batch)).pipe(
      stages,
      catchError((error: unknown) =>
        recover({ run, store, log, random, patienceMs }, batch, error),
      ),
    );

  const take = takeBatch(parts.largestBatch, parts.largestBatch);
  const neighbours = createNeighbours(elapsed);
  const runBatch = (arrivals: readonly Arrival[]) => run(asBatch(arrivals));

  arrivals$
    .pipe(
      refuseWhere((arrival) => queue.refusalFor(arrival)),
      refuseWhere(refusalOfAuthorise),
      map(enter(queue, busyTime)),
      mergeWith(again$),
      inLanes(
        {
          laneOf,
          takeBatch: (waiting, lane) => take(waiting, neighbours.meet(lane)),
          concurrency: TRANSACTIONS,
          linger,
          turn,
        },
        runBatch,
      ),
    )
    .subscribe({
      error: (error: unknown) =>
        log.error({ err: error }, 'the pipeline has ended: a fault of ours'),
    });

  return {
    submit,
    preview: previewWith({ store, rules, log, limits: parts.changeLimits }),
    events$: events$.pipe(share()),
    jobSteps$: jobSteps$.asObservable(),
    takeUpJobs: jobs.takeUp,
    depth: () => queue.size,
    isBusy: busyTime.isBusy,
    drain: async () => {
      await queue.drain();
      await jobs.ended();
    },
  };
};

const laneOf = ({ envelope }: Arrival): string => envelope.tenantId;

const refusalOfAuthorise = ({ envelope }: Arrival): Refusal | undefined =>
  refusalFor(envelope.actor, envelope.source, envelope.command);

/** A stage that answers at once what it refuses, and lets the rest pass. */
const refuseWhere = (
  refusalOf: (arrival: Arrival) => Refusal | undefined,
): MonoTypeOperatorFunction<Arrival> =>
  filter((arrival) => {
    const refusal = refusalOf(arrival);
    if (refusal) arrival.answer({ ok: false, refusal });
    return refusal === undefined;
  });

/** Counts the command in until it is answered. */
const enter =
  (queue: Queue, busyTime: BusyTime) =>
  (arrival: Arrival): Arrival => {
    queue.enter(arrival);
    if (queue.size === 1) busyTime.turned(true);
    return {
      ...arrival,
      answer: (outcome) => {
        queue.leave(arrival);
        if (queue.size === 0) busyTime.turned(false);
        arrival.answer(outcome);
      },
    };
  };

const asBatch = (arrivals: readonly Arrival[]): Batch => {
  const [first] = arrivals;
  if (!first) throw new Error('A lane ran an empty batch.');
  const { tenantId } = first.envelope;
  return { tenantId, arrivals, conflicts: 0, replays: 0 };
};

/** Where the edge does not say how long the request was. */
const USUAL_BYTES = 1_024;

const submitTo =
  (arrivals$: Subject<Arrival>): Submit =>
  ({ commandId, bytes = USUAL_BYTES, ...submission }) =>
    new Promise((resolve) => {
      arrivals$.next({
        envelope: { id: commandId ?? newId(), ...submission },
        weight: weightOf(submission.command),
        bytes,
        receivedAt: performance.now(),
        answer: resolve as Arrival['answer'],
      });
    });

import type { BulkOutcome } from '../domain/commands.js';
import type { JobProgress, Job } from '../domain/job/job.js';
import {
  type Arrival,
  type RestOfBulk,
  type CommittedBatch,
  type DecidedArrival,
  awaitedJobs,
  startedJobs,
} from './batch.js';
import type { Outcome } from './submit.js';
import { isRefused, type Decision } from '../domain/kernel/decider.js';
import type { DomainEvent } from '../domain/events.js';
import { type Refusal, refuse } from '../domain/kernel/refusals.js';
import type { CommitStore } from './commit-store.js';
import { callbacksDone, createYielder } from './loop-scheduler.js';
import type { PipelineLog } from './pipeline-log.js';

/** The outcomes of a Bulk's first operations, and the jobs that they started. */
interface FirstOperations {
  readonly outcomes: readonly BulkOutcome[];
  readonly jobs: readonly JobProgress[];
}

/** Combines the outcomes of the first operations with the outcome of the rest. */
const joinOutcomes = (
  first: FirstOperations,
  { command: { operations, failOnErrors } }: RestOfBulk,
  outcome: Outcome,
): Outcome => {
  const result = outcome.ok
    ? (outcome.result as readonly BulkOutcome[])
    : operations.map((_, at) =>
        at < (failOnErrors ?? Infinity) ? { refusal: outcome.refusal } : null,
      );
  const jobs = [...first.jobs, ...((outcome.ok && outcome.jobs) || [])];
  return {
    ok: true,
    result: [...first.outcomes, ...result] as never,
    changed: true,
    ...(jobs.length > 0 && { jobs }),
  };
};

/** An arrival of the rest of a Bulk, whose outcome is that of the whole Bulk. */
const continueBulk = (arrival: Arrival, first: FirstOperations, rest: RestOfBulk): Arrival => ({
  ...arrival,
  envelope: { ...arrival.envelope, command: rest.command },
  resolve: (outcome) => arrival.resolve(joinOutcomes(first, rest, outcome)),
});

interface AnnounceParts {
  readonly store: CommitStore;
  readonly log: PipelineLog;
  /** Note what the commit did. */
  readonly notes: readonly ((committed: CommittedBatch) => void)[];
  /** Passes a committed event to the live stream. */
  readonly emit: (event: DomainEvent) => void;
  /** Decides a command again later, because it has to wait for a job. */
  readonly postpone: (arrival: Arrival, refusal: Refusal) => void;
  readonly runJob: (job: Job) => void;
  /** Passes what was committed to the event stream. */
  readonly deliver: (committed: CommittedBatch) => void;
}

/**
 * Stage 6: emits the events to the live stream, resolves the callers' commands, starts jobs, and passes
 * the events to the durable subscribers. No response waits for a delivery. The batch is committed: each
 * effect is contained, so that one that fails prevents none of the others, and the stage never rejects.
 */
export const announce = (parts: AnnounceParts) => {
  const { store, log, postpone } = parts;

  const contained =
    <Subject>(effect: string, run: (subject: Subject) => void) =>
    (subject: Subject): void => {
      try {
        run(subject);
      } catch (error) {
        log.error({ err: error }, `${effect} after a commit failed`);
      }
    };

  const notes = parts.notes.map((note) => contained('a note', note));
  const emit = contained('emitting an event', parts.emit);
  const conclude = contained('a response', ({ arrival, decision, rest }: DecidedArrival) => {
    if (isRefused(decision) && decision.postponed) postpone(arrival, decision.refusal);
    else if (rest) postpone(continueBulk(arrival, firstOf(decision), rest), rest.refusal);
    else arrival.resolve(outcomeOf(decision));
  });
  const startJobs = contained('starting a job', ({ decision }: DecidedArrival) =>
    startedJobs(decision).forEach(parts.runJob),
  );
  const deliver = contained('a delivery', parts.deliver);
  const logRefusals = contained('logging refusals', ({ unlogged }: CommittedBatch) => {
    if (unlogged.length === 0) return;
    store.log(unlogged).catch((error: unknown) => {
      log.warn({ err: error, entries: unlogged.length }, 'refusals could not be logged');
    });
  });

  return async function announce(committed: CommittedBatch): Promise<void> {
    for (const note of notes) note(committed);
    // Before the responses: a client may act on its response at once.
    committed.events.forEach(emit);
    const yieldIfDue = createYielder(committed.tenantId);
    for (const [at, decided] of committed.decisions.entries()) {
      // Hundreds of responses are written here: other requests must get the event loop in between.
      if (at > 0) {
        await callbacksDone();
        await yieldIfDue();
      }
      conclude(decided);
      startJobs(decided);
    }
    deliver(committed);
    logRefusals(committed);
  };
};

const firstOf = (decision: Decision<unknown>): FirstOperations => ({
  outcomes: isRefused(decision) ? [] : (decision.result as readonly BulkOutcome[]),
  jobs: awaitedJobs(decision),
});

const unpredictable = refuse(
  'UNAVAILABLE',
  'The result cannot be previewed: this operation waits for a job that an earlier one starts.',
);

/** The outcome of a preview, which waits for no job. */
export const previewOutcome = ({
  decision,
  rest,
}: Omit<DecidedArrival, 'arrival' | 'commands'>): Outcome =>
  rest
    ? joinOutcomes(firstOf(decision), rest, { ok: false, refusal: unpredictable })
    : outcomeOf(decision);

const outcomeOf = (decision: Decision<unknown>): Outcome => {
  if (isRefused(decision)) return { ok: false, refusal: decision.refusal };
  const jobs = awaitedJobs(decision);
  return {
    ok: true,
    // Returned by the decider of the command's own type, so the result has the right type.
    result: decision.result as never,
    changed: decision.changes.length > 0,
    ...(jobs.length > 0 && { jobs }),
    ...(decision.isReplay && { isReplay: true }),
  };
};

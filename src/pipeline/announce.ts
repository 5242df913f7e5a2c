import type { BulkOutcome } from '../domain/commands.js';
import { isRefused, type Verdict } from '../domain/decide/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { Job } from '../domain/job.js';
import { type Refusal, refuse } from '../domain/refusals.js';
import type { Arrival, CommittedBatch, Judged } from './batch.js';
import type { CommitStore } from './commit-store.js';
import { continueBulk, type FirstOperations, joinOutcomes } from './continue-bulk.js';
import type { OutboxPlanner } from './outbox-planner.js';
import { createPace } from './in-turns.js';
import type { PipelineLog } from './pipeline-log.js';
import { awaitedJobs, startedJobs } from './started-jobs.js';
import type { Outcome } from './submit.js';

interface AnnounceParts {
  readonly store: CommitStore;
  readonly outbox: OutboxPlanner;
  readonly log: PipelineLog;
  /** Passes a committed event to the live stream. */
  readonly emit: (event: DomainEvent) => void;
  /** Decides a command again later, because it has to wait for a job. */
  readonly postpone: (arrival: Arrival, refusal: Refusal) => void;
  readonly runJob: (job: Job) => void;
}

/**
 * Stage 6: emits the events to the live stream, answers the callers, starts jobs, and passes the
 * outbox rows to the delivery engine. No response waits for a delivery.
 */
export const announce = ({ store, outbox, log, emit, postpone, runJob }: AnnounceParts) =>
  async function announce(committed: CommittedBatch): Promise<void> {
    const { judged, events, outbox: rows, unlogged } = committed;
    // Before the responses: a client may act on its response at once.
    events.forEach(emit);
    const yieldIfDue = createPace();
    for (const [at, { arrival, verdict, rest }] of judged.entries()) {
      // Hundreds of responses are written here: other requests must get the event loop in between.
      if (at > 0) await yieldIfDue();
      if (isRefused(verdict) && verdict.postponed) postpone(arrival, verdict.refusal);
      else {
        if (rest) postpone(continueBulk(arrival, firstOf(verdict), rest), rest.refusal);
        else arrival.answer(outcomeOf(verdict));
        startedJobs(verdict).forEach(runJob);
      }
    }
    outbox.committed(rows, events);
    if (unlogged.length > 0)
      store.log(unlogged).catch((error: unknown) => {
        log.warn({ err: error, entries: unlogged.length }, 'refusals could not be logged');
      });
  };

const firstOf = (decision: Verdict<unknown>): FirstOperations => ({
  outcomes: isRefused(decision) ? [] : (decision.result as readonly BulkOutcome[]),
  jobs: awaitedJobs(decision),
});

const unpredictable = refuse(
  'UNAVAILABLE',
  'The result cannot be previewed: this operation waits for a job that an earlier one starts.',
);

/** The outcome of a preview, which waits for no job. */
export const outcomeAtOnce = ({ verdict, rest }: Omit<Judged, 'arrival' | 'commands'>): Outcome =>
  rest
    ? joinOutcomes(firstOf(verdict), rest, { ok: false, refusal: unpredictable })
    : outcomeOf(verdict);

const outcomeOf = (decision: Verdict<unknown>): Outcome => {
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

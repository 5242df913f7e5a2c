import type { BulkOutcome } from '../domain/commands.js';
import { isRefused } from '../domain/decide/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { Job } from '../domain/job.js';
import { type Refusal, refuse } from '../domain/refusals.js';
import type { Arrival, Committed, Judged } from './batch.js';
import { continueBulk, type FirstOfBulk, joinOutcomes } from './continue-bulk.js';
import type { CommitStore } from './commit-store.js';
import type { OutboxPlanner } from './outbox-planner.js';
import { createPace } from './pace.js';
import type { PipelineLog } from './pipeline-log.js';
import { awaitedJobs, startedJobs } from './started-jobs.js';
import type { Outcome } from './submit.js';

export interface Announcer {
  readonly store: CommitStore;
  readonly outbox: OutboxPlanner;
  readonly log: PipelineLog;
  /** Hands committed events to the live stream. */
  readonly emit: (event: DomainEvent) => void;
  /** Has a command decided again later, as what it has to wait for is not through yet. */
  readonly postpone: (arrival: Arrival, refusal: Refusal) => void;
  /** Does what is left of a large change. */
  readonly runJob: (job: Job) => void;
}

/** Tells the live stream, answers each caller, then has events delivered: no answer waits for a webhook. */
export const announce = ({ store, outbox, log, emit, postpone, runJob }: Announcer) =>
  async function announce(committed: Committed): Promise<void> {
    const { judged, events, outbox: owed, unlogged } = committed;
    // First, for whoever has just been answered may ask at once what else is so now.
    events.forEach(emit);
    const pace = createPace();
    for (const [at, { arrival, verdict, rest }] of judged.entries()) {
      // Hundreds of answers are written in one go; others' requests wait for the event loop, too.
      if (at > 0) await pace();
      if (isRefused(verdict) && verdict.postponed) postpone(arrival, verdict.refusal);
      else {
        if (rest) postpone(continueBulk(arrival, firstOf(verdict), rest), rest.refusal);
        else arrival.answer(outcomeOf(verdict));
        startedJobs(verdict).forEach(runJob);
      }
    }
    outbox.committed(owed, events);
    if (unlogged.length > 0)
      store.log(unlogged).catch((error: unknown) => {
        log.warn({ err: error, lines: unlogged.length }, 'refusals could not be logged');
      });
  };

/** Of a Bulk: what its operations came to. */
const firstOf = (verdict: Judged['verdict']): FirstOfBulk => ({
  outcomes: isRefused(verdict) ? [] : (verdict.result as readonly BulkOutcome[]),
  jobs: awaitedJobs(verdict),
});

const untold = refuse(
  'UNAVAILABLE',
  'What this comes to cannot be told beforehand: it waits for a job that an operation before it begins.',
);

/** What the caller would be told if nobody waited for anything. */
export const outcomeAtOnce = ({ verdict, rest }: Pick<Judged, 'verdict' | 'rest'>): Outcome =>
  rest ? joinOutcomes(firstOf(verdict), rest, { ok: false, refusal: untold }) : outcomeOf(verdict);

export const outcomeOf = (verdict: Judged['verdict']): Outcome => {
  if (isRefused(verdict)) return { ok: false, refusal: verdict.refusal };
  const jobs = awaitedJobs(verdict);
  return {
    ok: true,
    // The verdict is that of the command's own decider, so its result is of the right type.
    result: verdict.result as never,
    changed: verdict.changes.length > 0,
    ...(jobs.length > 0 && { jobs }),
    ...(verdict.isReplay && { isReplay: true }),
  };
};

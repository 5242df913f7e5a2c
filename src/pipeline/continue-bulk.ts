import type { BulkOutcome } from '../domain/commands.js';
import type { JobProgress } from '../domain/job.js';
import type { Arrival, RestOfBulk } from './batch.js';
import type { Outcome } from './submit.js';

/** What the first operations of a Bulk came to, and the jobs that they began. */
export interface FirstOfBulk {
  readonly outcomes: readonly BulkOutcome[];
  readonly jobs: readonly JobProgress[];
}

/** What the first operations of a Bulk came to, and what came of the rest, as one answer. */
export const joinOutcomes = (
  first: FirstOfBulk,
  { command: { operations, failOnErrors } }: RestOfBulk,
  outcome: Outcome,
): Outcome => {
  const result = outcome.ok
    ? (outcome.result as readonly BulkOutcome[])
    : operations.map((_, at) =>
        at < (failOnErrors ?? Infinity) ? { refusal: outcome.refusal } : null,
      );
  // The first of them have begun a job.
  const jobs = [...first.jobs, ...((outcome.ok && outcome.jobs) || [])];
  return {
    ok: true,
    result: [...first.outcomes, ...result] as never,
    changed: true,
    ...(jobs.length > 0 && { jobs }),
  };
};

/** The rest of a Bulk: it waits by itself, and then answers for the whole. */
export const continueBulk = (arrival: Arrival, first: FirstOfBulk, rest: RestOfBulk): Arrival => ({
  ...arrival,
  envelope: { ...arrival.envelope, command: rest.command },
  answer: (outcome) => arrival.answer(joinOutcomes(first, rest, outcome)),
});

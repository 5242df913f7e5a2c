import type { BulkOutcome } from '../domain/commands.js';
import type { JobProgress } from '../domain/job/job.js';
import type { Arrival, RestOfBulk } from './batch.js';
import type { Outcome } from './submit.js';

/** The outcomes of a Bulk's first operations, and the jobs that they started. */
export interface FirstOperations {
  readonly outcomes: readonly BulkOutcome[];
  readonly jobs: readonly JobProgress[];
}

/** Combines the outcomes of the first operations with the outcome of the rest. */
export const joinOutcomes = (
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
export const continueBulk = (
  arrival: Arrival,
  first: FirstOperations,
  rest: RestOfBulk,
): Arrival => ({
  ...arrival,
  envelope: { ...arrival.envelope, command: rest.command },
  resolve: (outcome) => arrival.resolve(joinOutcomes(first, rest, outcome)),
});

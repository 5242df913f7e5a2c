import type { BulkOutcome } from '../domain/commands.js';
import type { Arrival, RestOfBulk } from './batch.js';
import type { Outcome } from './submit.js';

/** What the first operations of a Bulk came to, and what came of the rest, as one answer. */
export const joinOutcomes = (
  first: readonly BulkOutcome[],
  { command: { operations, failOnErrors } }: RestOfBulk,
  outcome: Outcome,
): Outcome => {
  const result = outcome.ok
    ? (outcome.result as readonly BulkOutcome[])
    : operations.map((_, at) =>
        at < (failOnErrors ?? Infinity) ? { refusal: outcome.refusal } : null,
      );
  // The first of them have begun a job.
  return { ok: true, result: [...first, ...result] as never, changed: true };
};

/** The rest of a Bulk: it waits by itself, and then answers for the whole. */
export const continueBulk = (
  arrival: Arrival,
  first: readonly BulkOutcome[],
  rest: RestOfBulk,
): Arrival => ({
  ...arrival,
  envelope: { ...arrival.envelope, command: rest.command },
  answer: (outcome) => arrival.answer(joinOutcomes(first, rest, outcome)),
});

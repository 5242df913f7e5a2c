import type { BulkOutcome, RunBulk } from '../domain/commands.js';
import { isRefused, type Refused, type Decision } from '../domain/kernel/decider.js';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { Lookup } from '../domain/tables.js';
import type { DecidedCommand, DecidedArrival, RestOfBulk } from './batch.js';
import type { DecideOne } from './decide-one.js';
import { type BulkEnvelope, operationsOf } from './operations.js';
import { startedJobs } from './started-jobs.js';
import { MissingLookups, type Workspace } from './workspace.js';

interface DecidedBulk extends Omit<DecidedArrival, 'arrival'> {
  readonly missing: readonly Lookup[];
}

/**
 * Decides the operations in order: each sees the changes of those before it and is refused alone;
 * after `failOnErrors` errors the rest is skipped (RFC 7644, 3.7). If an operation has to wait for a
 * job, the whole Bulk waits; if the Bulk itself started that job, only the rest of it waits.
 */
export const decideBulk = async (
  envelope: BulkEnvelope,
  workspace: Workspace,
  {
    decideOne,
    yieldIfDue,
  }: { readonly decideOne: DecideOne; readonly yieldIfDue: () => Promise<void> },
): Promise<DecidedBulk> => {
  const fork = workspace.after([]);
  const maxErrors = envelope.command.failOnErrors ?? Infinity;
  const [commands, outcomes, missing]: [DecidedCommand[], BulkOutcome[], Lookup[]] = [[], [], []];
  let errors = 0;
  let rest: RestOfBulk | undefined;
  for (const [at, operation] of operationsOf(envelope).entries()) {
    if (errors >= maxErrors) break;
    const decided = 'command' in operation ? await decideOne(operation, fork) : operation;
    if (decided instanceof MissingLookups)
      for (const lookup of decided.lookups) missing.push(lookup);
    else {
      const postponed = postponedIn(decided);
      if (postponed && !commands.some(hasStarted))
        return { decision: postponed, commands: [], missing };
      if (postponed) {
        rest = { command: restFrom(envelope.command, { at, errors }), refusal: postponed.refusal };
        break;
      }
      if ('envelope' in decided) commands.push(decided);
      const outcome = outcomeOf(decided);
      outcomes.push(outcome);
      errors += Number('refusal' in outcome);
    }
    await yieldIfDue();
  }
  workspace.apply(fork.changes);
  const operations = envelope.command.operations.slice(0, rest && outcomes.length);
  const result = operations.map((_, at) => outcomes[at] ?? null);
  return { decision: combine(commands, result), commands, missing, ...(rest && { rest }) };
};

const restFrom = (
  { operations, failOnErrors, ...command }: RunBulk,
  { at, errors }: { readonly at: number; readonly errors: number },
): RunBulk => ({
  ...command,
  operations: operations.slice(at),
  failOnErrors: failOnErrors === null ? null : failOnErrors - errors,
});

const outcomeOf = (
  decided: DecidedCommand | { readonly refusal: Refusal },
): NonNullable<BulkOutcome> => {
  if ('refusal' in decided) return decided;
  const { decision } = decided;
  return isRefused(decision)
    ? { refusal: decision.refusal }
    : // A command that a Bulk may contain returns a user, a group or null (BulkableCommand).
      ({ result: decision.result } as NonNullable<BulkOutcome>);
};

/** It starts a job or was committed before: the Bulk as a whole can no longer wait. */
const hasStarted = ({ decision, recalled }: DecidedCommand): boolean =>
  recalled || startedJobs(decision).length > 0;

const postponedIn = (
  decided: DecidedCommand | { readonly refusal: Refusal },
): Refused | undefined =>
  'envelope' in decided && isRefused(decided.decision) && decided.decision.postponed
    ? decided.decision
    : undefined;

const combine = (
  commands: readonly DecidedCommand[],
  result: readonly BulkOutcome[],
): Decision<readonly BulkOutcome[]> => {
  const accepted = commands.flatMap(({ decision }) => (isRefused(decision) ? [] : [decision]));
  return {
    changes: accepted.flatMap(({ changes }) => changes),
    events: accepted.flatMap(({ events }) => events),
    jobs: accepted.flatMap(({ jobs = [] }) => jobs),
    result,
  };
};

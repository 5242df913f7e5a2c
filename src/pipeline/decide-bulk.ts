import type { BulkOutcome, RunBulk } from '../domain/commands.js';
import { isRefused, type Refused, type Verdict } from '../domain/decide/decider.js';
import type { Refusal } from '../domain/refusals.js';
import type { Need } from '../domain/tables.js';
import type { Judged, JudgedCommand, RestOfBulk } from './batch.js';
import { type BulkEnvelope, operationsOf } from './operations.js';
import type { Judge } from './judge.js';
import { startedJobs } from './started-jobs.js';
import { NeedMore, type Workspace } from './workspace.js';

interface DecidedBulk extends Omit<Judged, 'arrival'> {
  readonly missing: readonly Need[];
}

/**
 * Decides operation by operation, each seeing those before it, and each refused on its own; after
 * so many errors the rest is left undone (RFC 7644, 3.7). All on a layer of its own: a Bulk that has
 * to wait for a job waits as a whole; but for one that it begins itself only what comes after.
 */
export const decideBulk = async (
  envelope: BulkEnvelope,
  workspace: Workspace,
  { judge, pace }: { readonly judge: Judge; readonly pace: () => Promise<void> },
): Promise<DecidedBulk> => {
  const own = workspace.after([]);
  const most = envelope.command.failOnErrors ?? Infinity;
  const [commands, outcomes, missing]: [JudgedCommand[], BulkOutcome[], Need[]] = [[], [], []];
  let errors = 0;
  let rest: RestOfBulk | undefined;
  for (const [at, asked] of operationsOf(envelope).entries()) {
    if (errors >= most) break;
    const judgement = 'command' in asked ? await judge(asked, own) : asked;
    if (judgement instanceof NeedMore) for (const need of judgement.needs) missing.push(need);
    else {
      const waiting = waitingIn(judgement);
      if (waiting && !commands.some(isBegun)) return { verdict: waiting, commands: [], missing };
      if (waiting) {
        rest = { command: restFrom(envelope.command, { at, errors }), refusal: waiting.refusal };
        break;
      }
      if ('envelope' in judgement) commands.push(judgement);
      const outcome = outcomeOf(judgement);
      outcomes.push(outcome);
      errors += Number('refusal' in outcome);
    }
    await pace();
  }
  workspace.apply(own.changes);
  const decided = envelope.command.operations.slice(0, rest && outcomes.length);
  const result = decided.map((_, at) => outcomes[at] ?? null);
  return { verdict: together(commands, result), commands, missing, ...(rest && { rest }) };
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
  judged: JudgedCommand | { readonly refusal: Refusal },
): NonNullable<BulkOutcome> => {
  if ('refusal' in judged) return judged;
  const { verdict } = judged;
  return isRefused(verdict)
    ? { refusal: verdict.refusal }
    : // What a Bulk may hold comes to a user, a group, or nothing (BulkableCommand).
      ({ result: verdict.result } as NonNullable<BulkOutcome>);
};

/** It begins a job, or is found committed: then the Bulk has begun, and cannot wait as a whole. */
const isBegun = ({ verdict, recalled }: JudgedCommand): boolean =>
  recalled || startedJobs(verdict).length > 0;

const waitingIn = (judged: JudgedCommand | { readonly refusal: Refusal }): Refused | undefined =>
  'verdict' in judged && isRefused(judged.verdict) && judged.verdict.postponed
    ? judged.verdict
    : undefined;

/** What the caller is told of all together. */
const together = (
  commands: readonly JudgedCommand[],
  result: readonly BulkOutcome[],
): Verdict<readonly BulkOutcome[]> => {
  const accepted = commands.flatMap(({ verdict }) => (isRefused(verdict) ? [] : [verdict]));
  return {
    changes: accepted.flatMap(({ changes }) => changes),
    events: accepted.flatMap(({ events }) => events),
    begun: accepted.flatMap(({ begun = [] }) => begun),
    result,
  };
};

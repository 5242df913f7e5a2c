import type { BulkOutcome } from '../domain/commands.js';
import { isRefused, type Refused, type Verdict } from '../domain/decide/decider.js';
import type { Refusal } from '../domain/refusals.js';
import type { Need } from '../domain/tables.js';
import type { Judged, JudgedCommand } from './batch.js';
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
 * to wait for a job waits as a whole.
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
  for (const asked of operationsOf(envelope)) {
    if (errors >= most) break;
    const judgement = 'command' in asked ? await judge(asked, own) : asked;
    if (judgement instanceof NeedMore) for (const need of judgement.needs) missing.push(need);
    else {
      if ('envelope' in judgement) commands.push(judgement);
      const outcome = outcomeOf(judgement);
      outcomes.push(outcome);
      errors += Number('refusal' in outcome);
    }
    await pace();
  }
  const waits = waitingOf(commands);
  if (waits) return { verdict: waits, commands: [], missing };
  workspace.apply(own.changes);
  const result = envelope.command.operations.map((_, at) => outcomes[at] ?? null);
  return { ...together(commands, result), missing };
};

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

const beginsJob = ({ verdict }: JudgedCommand): boolean => startedJobs(verdict).length > 0;

/**
 * Why the whole of it has to wait: for a job that was there before. One that the Bulk itself would
 * begin never ends before it; then the operation alone is refused. So it is where the Bulk turns out
 * to have been committed.
 */
const waitingOf = (commands: readonly JudgedCommand[]): Refused | undefined =>
  commands.some((command) => command.recalled || beginsJob(command))
    ? undefined
    : commands.map(({ verdict }) => verdict).find(isWaiting);

const isWaiting = (verdict: Verdict<unknown>): verdict is Refused =>
  isRefused(verdict) && verdict.postponed === true;

/** What the caller is told of all together, and each operation as it ended. */
const together = (
  commands: readonly JudgedCommand[],
  result: readonly BulkOutcome[],
): Omit<Judged, 'arrival'> => {
  const accepted = commands.flatMap(({ verdict }) => (isRefused(verdict) ? [] : [verdict]));
  return {
    verdict: {
      changes: accepted.flatMap(({ changes }) => changes),
      events: accepted.flatMap(({ events }) => events),
      result,
    },
    commands: commands.map((command) =>
      isWaiting(command.verdict)
        ? { ...command, verdict: { refusal: command.verdict.refusal } }
        : command,
    ),
  };
};

import type { BulkOutcome, Envelope } from '../domain/commands.js';
import { deciderOf, type SingleType } from '../domain/decide/deciders.js';
import { isRefused, type Rules, type Verdict } from '../domain/decide/decider.js';
import { type Refusal, refuse } from '../domain/refusals.js';
import type { Need } from '../domain/tables.js';
import type { Decided, Gathered, Judged, JudgedCommand } from './batch.js';
import type { CommandLogEntry } from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';
import { createPace } from './pace.js';
import { findFirstAnswer, rememberAnswer } from './remember-answer.js';
import { NeedMore, type Workspace } from './workspace.js';

/**
 * Decides every command in the order of arrival, each seeing what those before it did. Pure and in
 * memory; a command that throws fails alone.
 */
export const decide = (rules: Rules, log: PipelineLog) =>
  async function decide(gathered: Gathered): Promise<Decided> {
    const judge = judgeBy(gathered, rules, log);
    const pace = createPace();
    const judged: Judged[] = [];
    const missing: Need[] = [];
    for (const arrival of gathered.arrivals) {
      const commands: JudgedCommand[] = [];
      const outcomes: BulkOutcome[] = [];
      const most = mostErrorsOf(arrival.envelope);
      let errors = 0;
      for (const asked of operationsOf(arrival.envelope)) {
        if (errors >= most) break;
        const judgement = 'command' in asked ? judge(asked) : asked;
        if (judgement instanceof NeedMore) missing.push(...judgement.needs);
        else {
          if ('envelope' in judgement) commands.push(judgement);
          const outcome = outcomeOf(judgement);
          outcomes.push(outcome);
          errors += Number('refusal' in outcome);
        }
        await pace();
      }
      const verdict = verdictOf(arrival.envelope, commands, outcomes);
      judged.push({ arrival, commands, verdict });
    }
    // Decided without knowing is not decided: all of it again once everything is there.
    if (missing.length > 0) throw new NeedMore(missing);
    return { ...gathered, judged };
  };

type SingleEnvelope = Envelope<SingleType>;

type Operation = SingleEnvelope | { readonly refusal: Refusal };

/** A Bulk is its operations, each by its own id (pipeline-rules.md 6). */
const operationsOf = (envelope: Envelope): readonly Operation[] => {
  const { command } = envelope;
  // An envelope that holds no Bulk holds one of the others: TypeScript does not narrow it by that.
  if (command.type !== 'bulk') return [envelope as SingleEnvelope];
  return command.operations.map((operation) =>
    'command' in operation ? { ...envelope, ...operation } : operation,
  );
};

/** The commands that an envelope holds. */
export const commandsOf = (envelope: Envelope): readonly SingleEnvelope[] =>
  operationsOf(envelope).flatMap((operation) => ('command' in operation ? [operation] : []));

/** RFC 7644, 3.7: after so many errors a Bulk ends. */
const mostErrorsOf = ({ command }: Envelope): number =>
  command.type === 'bulk' ? (command.failOnErrors ?? Infinity) : Infinity;

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

const NOTHING_DECIDED = { changes: [], events: [], result: [] } as const;

/** What the caller is told: the verdict on his command, or what became of each operation. */
const verdictOf = (
  { command }: Envelope,
  commands: readonly JudgedCommand[],
  outcomes: readonly BulkOutcome[],
): Verdict<unknown> => {
  if (command.type !== 'bulk') return commands[0]?.verdict ?? NOTHING_DECIDED;
  const accepted = commands.flatMap(({ verdict }) => (isRefused(verdict) ? [] : [verdict]));
  return {
    changes: accepted.flatMap(({ changes }) => changes),
    events: accepted.flatMap(({ events }) => events),
    result: command.operations.map((_, at) => outcomes[at] ?? null),
  };
};

const judgeBy = (gathered: Gathered, rules: Rules, log: PipelineLog) => {
  const { workspace, committed } = gathered;

  const verdictOn = (envelope: SingleEnvelope): Omit<JudgedCommand, 'envelope'> => {
    const entry = committed.get(envelope.id);
    if (entry) return { verdict: recall(envelope, workspace, entry), recalled: true };
    const first = findFirstAnswer(envelope, workspace);
    if (first) return { verdict: first, recalled: true };
    const verdict: Verdict<unknown> = deciderOf(envelope.command.type).decide(
      envelope,
      workspace,
      rules,
    );
    if (!isRefused(verdict)) workspace.apply(verdict.changes);
    rememberAnswer(envelope, verdict, workspace);
    return { verdict, recalled: false };
  };

  return (envelope: SingleEnvelope): JudgedCommand | NeedMore => {
    try {
      return { envelope, ...verdictOn(envelope) };
    } catch (error) {
      if (error instanceof NeedMore) return error;
      return { envelope, verdict: faultOf(envelope, error, log), recalled: false };
    }
  };
};

/** The answer to a command whose commit succeeded but was never heard of (pipeline-rules.md 6). */
const recall = (
  { command }: SingleEnvelope,
  workspace: Workspace,
  entry: CommandLogEntry,
): Verdict<unknown> => {
  const result = entry.answer ?? deciderOf(command.type).recall(command, workspace);
  return result === undefined ? { refusal: undone() } : { changes: [], events: [], result };
};

/** Somebody else was quicker than we were with the answer. */
const undone = () =>
  refuse(
    'UNAVAILABLE',
    'This was done while the database was hard to reach, and undone by another request since. ' +
      'Read how things are now before you try again.',
    { retryAfter: 1 },
  );

const faultOf = (
  { requestId, command }: SingleEnvelope,
  error: unknown,
  log: PipelineLog,
): Verdict<unknown> => {
  log.error(
    { err: error, request_id: requestId, command: command.type },
    'a command could not be decided',
  );
  return { refusal: refuse('INTERNAL', 'Something went wrong here. Nothing was changed.') };
};

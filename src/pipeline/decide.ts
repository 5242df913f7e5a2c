import { deciderOf } from '../domain/decide/deciders.js';
import { isRefused, type Rules, type Verdict } from '../domain/decide/decider.js';
import { refuse } from '../domain/refusals.js';
import type { Need } from '../domain/tables.js';
import type { Arrival, Decided, Gathered, Judged } from './batch.js';
import type { CommandLogEntry } from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';
import { findFirstAnswer, rememberAnswer } from './remember-answer.js';
import { NeedMore, type Workspace } from './workspace.js';

/** The event loop is given back this often, in milliseconds (pipeline-rules.md 9). */
const SLICE = 10;

/**
 * Decides every command in the order of arrival, each seeing what those before it did. Pure and in
 * memory; a command that throws fails alone.
 */
export const decide = (rules: Rules, log: PipelineLog) =>
  async function decide(gathered: Gathered): Promise<Decided> {
    const judged: Judged[] = [];
    const missing: Need[] = [];
    let sliceEnds = performance.now() + SLICE;
    for (const arrival of gathered.arrivals) {
      try {
        judged.push(judge(arrival, gathered, rules));
      } catch (error) {
        if (error instanceof NeedMore) missing.push(...error.needs);
        else judged.push({ arrival, verdict: faultOf(arrival, error, log), recalled: false });
      }
      if (performance.now() > sliceEnds) {
        await new Promise(setImmediate);
        sliceEnds = performance.now() + SLICE;
      }
    }
    // Decided without knowing is not decided: all of it again once everything is there.
    if (missing.length > 0) throw new NeedMore(missing);
    return { ...gathered, judged };
  };

const judge = (arrival: Arrival, gathered: Gathered, rules: Rules): Judged => {
  const { workspace, committed } = gathered;
  const { envelope } = arrival;
  const entry = committed.get(envelope.id);
  if (entry) return { arrival, verdict: recall(arrival, workspace, entry), recalled: true };
  const first = findFirstAnswer(envelope, workspace);
  if (first) return { arrival, verdict: first, recalled: true };
  const verdict: Verdict<unknown> = deciderOf(envelope.command.type).decide(
    envelope,
    workspace,
    rules,
  );
  if (!isRefused(verdict)) workspace.apply(verdict.changes);
  rememberAnswer(envelope, verdict, workspace);
  return { arrival, verdict, recalled: false };
};

/** The answer to a command whose commit succeeded but was never heard of (pipeline-rules.md 6). */
const recall = (
  { envelope: { command } }: Arrival,
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

const faultOf = ({ envelope }: Arrival, error: unknown, log: PipelineLog): Verdict<unknown> => {
  log.error(
    { err: error, request_id: envelope.requestId, command: envelope.command.type },
    'a command could not be decided',
  );
  return { refusal: refuse('INTERNAL', 'Something went wrong here. Nothing was changed.') };
};

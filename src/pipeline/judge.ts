import { jobsBegunBy } from '../domain/decide/begin-job.js';
import { deciderOf } from '../domain/decide/deciders.js';
import { isRefused, type Rules, type Verdict } from '../domain/decide/decider.js';
import { inPieces } from '../domain/in-pieces.js';
import { refuse } from '../domain/refusals.js';
import type { Gathered, JudgedCommand } from './batch.js';
import type { CommandLogEntry } from './commit-store.js';
import type { SingleEnvelope } from './operations.js';
import { broken } from './fault-refusals.js';
import { inTurns } from './in-turns.js';
import type { PipelineLog } from './pipeline-log.js';
import { findFirstAnswer, rememberAnswer } from './remember-answer.js';
import { NeedMore, type Workspace } from './workspace.js';

/** The verdict on one command, applied to the workspace; or what it has to know before. */
export type Judge = (
  envelope: SingleEnvelope,
  workspace: Workspace,
) => Promise<JudgedCommand | NeedMore>;

interface JudgeParts {
  readonly committed: Gathered['committed'];
  readonly rules: Rules;
  readonly log: PipelineLog;
}

/** A command that throws fails alone. */
export const judgeWith = ({ committed, rules, log }: JudgeParts): Judge => {
  const verdictOn = async (
    envelope: SingleEnvelope,
    workspace: Workspace,
  ): Promise<Omit<JudgedCommand, 'envelope'>> => {
    const entry = committed.get(envelope.id);
    if (entry) return { verdict: recall(envelope, workspace, entry), recalled: true };
    const first = findFirstAnswer(envelope, workspace);
    if (first) return { verdict: first, recalled: true };
    const { decide } = deciderOf(envelope.command.type);
    const verdict: Verdict<unknown> = await inTurns(inPieces(decide(envelope, workspace, rules)));
    if (!isRefused(verdict)) workspace.apply(verdict.changes);
    rememberAnswer(envelope, verdict, workspace);
    return { verdict, recalled: false };
  };

  return async (envelope, workspace) => {
    try {
      return { envelope, ...(await verdictOn(envelope, workspace)) };
    } catch (error) {
      if (error instanceof NeedMore) return error;
      return { envelope, verdict: faultOf(envelope, error, log), recalled: false };
    }
  };
};

/** The answer to a command whose commit succeeded but was never heard of (pipeline-rules.md 6). */
const recall = (
  { id, command }: SingleEnvelope,
  workspace: Workspace,
  entry: CommandLogEntry,
): Verdict<unknown> => {
  if (entry.refusal) return { refusal: entry.refusal };
  const result = entry.answer ?? deciderOf(command.type).recall(command, workspace);
  if (result === undefined) return { refusal: undone() };
  return { changes: [], events: [], result, begun: jobsBegunBy(workspace, id) };
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
  return { refusal: broken() };
};

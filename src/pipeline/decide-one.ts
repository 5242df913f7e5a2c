import { deciderOf } from '../domain/command-catalogue.js';
import { jobsStartedBy } from '../domain/job/start-job.js';
import { isRefused, type Rules, type Decision } from '../domain/kernel/decider.js';
import { asChunked } from '../domain/kernel/chunked.js';
import { groupNotFound, userNotFound } from '../domain/kernel/not-found.js';
import { internalError, refuse } from '../domain/kernel/refusals.js';
import { limitRemovals } from '../domain/tenant/removal-limit.js';
import type { DecidedCommand, GatheredBatch } from './batch.js';
import type { CommandLogEntry } from './commit-store.js';
import { runCooperatively } from './run-cooperatively.js';
import type { SingleEnvelope } from './operations.js';
import type { PipelineLog } from './pipeline-log.js';
import { findStoredResponse, storeResponse } from './stored-response.js';
import { MissingLookups, type Workspace } from './workspace.js';

/** Decides a command and applies its changes to the workspace, or returns what has to be loaded. */
export type DecideOne = (
  envelope: SingleEnvelope,
  workspace: Workspace,
) => Promise<DecidedCommand | MissingLookups>;

interface DecideOneParts {
  readonly committed: GatheredBatch['committed'];
  readonly rules: Rules;
  readonly log: PipelineLog;
}

export const createDecideOne = ({ committed, rules, log }: DecideOneParts): DecideOne => {
  const decide = async (
    envelope: SingleEnvelope,
    workspace: Workspace,
  ): Promise<Omit<DecidedCommand, 'envelope'>> => {
    const entry = committed.get(envelope.id);
    if (entry) return { decision: recall(envelope, workspace, entry), recalled: true };
    const stored = findStoredResponse(envelope, workspace);
    if (stored) return { decision: stored, recalled: true };
    const decider = deciderOf(envelope.command.type);
    const decided: Decision<unknown> = await runCooperatively(
      asChunked(decider.decide(envelope, workspace, rules)),
    );
    const decision = limitRemovals(envelope, decided, workspace);
    if (!isRefused(decision)) workspace.apply(decision.changes);
    storeResponse(envelope, decision, workspace);
    return { decision, recalled: false };
  };

  return async (envelope, workspace) => {
    try {
      return { envelope, ...(await decide(envelope, workspace)) };
    } catch (error) {
      if (error instanceof MissingLookups) return error;
      const { requestId, command } = envelope;
      log.error(
        { err: error, request_id: requestId, command: command.type },
        'a command could not be decided',
      );
      return { envelope, decision: { refusal: internalError() }, recalled: false };
    }
  };
};

/**
 * The result of a command whose commit succeeded but was not confirmed (pipeline-rules.md 6), or of
 * one that takes effect once and is submitted again.
 */
const recall = (
  { id, command, takesEffectOnce }: SingleEnvelope,
  workspace: Workspace,
  entry: CommandLogEntry,
): Decision<unknown> => {
  if (entry.refusal) return { refusal: entry.refusal };
  const result = entry.answer ?? deciderOf(command.type).recall?.(command, workspace);
  // The command of a connector would be repeated for ever: nothing brings the change back.
  if (result === undefined && takesEffectOnce)
    return command.type.startsWith('user.') ? userNotFound() : groupNotFound();
  if (result === undefined) return { refusal: undoneSince() };
  return {
    changes: [],
    events: [],
    result,
    jobs: jobsStartedBy(workspace, id),
    ...(takesEffectOnce && { isReplay: true as const }),
  };
};

const undoneSince = () =>
  refuse(
    'UNAVAILABLE',
    'The change was committed while the database was failing, and another request has undone it ' +
      'since. Read the current state before you try again.',
    { retryAfter: 1 },
  );

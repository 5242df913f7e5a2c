import { deciderOf } from '../domain/command-catalogue.js';
import { jobsStartedBy } from '../domain/job/start-job.js';
import { isRefused, type Rules, type Decision, type Refused } from '../domain/kernel/decider.js';
import { asChunked } from '../domain/kernel/chunked.js';
import { internalError, refuse, type Refusal } from '../domain/kernel/refusals.js';
import { limitRemovals } from '../domain/tenant/tenant-counts.js';
import {
  type DecidedCommand,
  type GatheredBatch,
  type SingleEnvelope,
  type DecidedArrival,
  type RestOfBulk,
  type BulkEnvelope,
  operationsOf,
  startedJobs,
  type DecidedBatch,
  isBulk,
  awaitedJobs,
} from './batch.js';
import type { CommandLogEntry } from './commit-store.js';
import { runCooperatively, createYielder } from './loop-scheduler.js';
import type { PipelineLog } from './pipeline-log.js';
import { MissingLookups, type Workspace } from './workspace.js';
import type { BulkOutcome, RunBulk } from '../domain/commands.js';
import type { Lookup } from '../domain/tables.js';
import { RESPONSE_TTL_MS, type StoredResponse } from '../domain/kernel/stored-response.js';

/**
 * The first response to the same Idempotency-Key; undefined if the key is new. Looked up in the
 * lane, so two requests with one key that arrive together take effect once.
 */
const findStoredResponse = (
  { idempotency }: SingleEnvelope,
  workspace: Workspace,
): Decision<unknown> | undefined => {
  if (!idempotency) return undefined;
  const stored = workspace.find('rememberedAnswers', 'id', idempotency.id);
  if (!stored || hasExpired(stored, workspace.now)) return undefined;
  if (stored.fingerprint !== idempotency.fingerprint) return { refusal: differentBody() };
  const { result, jobs } = stored;
  return { changes: [], events: [], result, jobs, isReplay: true };
};

const differentBody = () =>
  refuse(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  );

/** The database deletes expired documents with a delay. */
const hasExpired = ({ at }: StoredResponse, now: Date): boolean =>
  now.getTime() - at.getTime() >= RESPONSE_TTL_MS;

/**
 * Stores the response in the commit of the batch. A refusal changed nothing, so a repeated request
 * is decided again (pipeline-rules.md 13).
 */
const storeResponse = (
  { idempotency, tenantId }: SingleEnvelope,
  decision: Decision<unknown>,
  workspace: Workspace,
): void => {
  if (!idempotency || !workspace.tenant || isRefused(decision)) return;
  const before = workspace.find('rememberedAnswers', 'id', idempotency.id) ?? null;
  const after: StoredResponse = {
    ...idempotency,
    tenantId,
    at: workspace.now,
    result: decision.result,
    jobs: awaitedJobs(decision),
  };
  workspace.apply([{ table: 'rememberedAnswers', before, after }]);
};

/** Decides a command and applies its changes to the workspace, or returns what has to be loaded. */
type DecideOne = (
  envelope: SingleEnvelope,
  workspace: Workspace,
) => Promise<DecidedCommand | MissingLookups>;

interface DecideOneParts {
  readonly committed: GatheredBatch['committed'];
  readonly rules: Rules;
  readonly log: PipelineLog;
}

const createDecideOne = ({ committed, rules, log }: DecideOneParts): DecideOne => {
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
    return {
      refusal: refuse(command.type.startsWith('user.') ? 'USER_NOT_FOUND' : 'GROUP_NOT_FOUND'),
    };
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

interface DecidedBulk extends Omit<DecidedArrival, 'arrival'> {
  readonly missing: readonly Lookup[];
}

/**
 * Decides the operations in order: each sees the changes of those before it and is refused alone;
 * after `failOnErrors` errors the rest is skipped (RFC 7644, 3.7). If an operation has to wait for a
 * job, the whole Bulk waits; if the Bulk itself started that job, only the rest of it waits.
 */
const decideBulk = async (
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

/**
 * Stage 4: decides the commands in order of arrival. Each sees the changes of those before it. Pure
 * and in memory; a command that throws fails alone.
 */
export const decide = (rules: Rules, log: PipelineLog) =>
  async function decide(gathered: GatheredBatch): Promise<DecidedBatch> {
    // A layer of its own: if more has to be loaded, the gathered workspace is used again.
    const workspace = gathered.workspace.after([]);
    const { committed } = gathered;
    const decideOne = createDecideOne({ committed, rules, log });
    const yieldIfDue = createYielder();
    const decisions: DecidedArrival[] = [];
    const missing: Lookup[] = [];
    for (const arrival of gathered.arrivals) {
      const { envelope } = arrival;
      if (isBulk(envelope)) {
        const bulk = await decideBulk(envelope, workspace, { decideOne, yieldIfDue });
        for (const lookup of bulk.missing) missing.push(lookup);
        decisions.push({ arrival, ...bulk });
        continue;
      }
      const result = await decideOne(envelope as SingleEnvelope, workspace);
      if (result instanceof MissingLookups)
        for (const lookup of result.lookups) missing.push(lookup);
      else decisions.push({ arrival, decision: result.decision, commands: [result] });
      await yieldIfDue();
    }
    if (missing.length > 0) throw new MissingLookups(missing);
    return { ...gathered, workspace, decisions };
  };

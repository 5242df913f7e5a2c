import type {
  BulkableCommand,
  Command,
  CommandContext,
  CommandType,
  Envelope,
  RunBulk,
} from '../domain/commands.js';
import { weightOf, type SingleCommandType } from '../domain/command-catalogue.js';
import { type Decision, isRefused } from '../domain/kernel/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { TenantId } from '../domain/kernel/ids.js';
import { scopeFor } from '../domain/permissions.js';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { Lookup } from '../domain/tables.js';
import type { CommandLogEntry, Loaded } from './commit-store.js';
import { newId, type Outcome, type Submission } from './submit.js';
import type { Workspace } from './workspace.js';
import type { Job, JobProgress } from '../domain/job/job.js';

/** A submitted command that has no outcome yet. */
export interface Arrival {
  readonly envelope: Envelope;
  /** Approximate number of rows that it changes. */
  readonly weight: number;
  /** Approximate memory that it takes while it waits. */
  readonly bytes: number;
  /** Milliseconds of the monotonic clock. */
  readonly receivedAt: number;
  /** Of the span that submitted it, if commands are traced. */
  readonly traceparent?: string | undefined;
  /** The result of a commit was lost: its effects may be stored (pipeline-rules.md 6). */
  readonly mayBeCommitted?: true;
  /** Ends the command. Of an admitted command: every later call has no effect, and it never throws. */
  readonly resolve: (outcome: Outcome) => void;
}

/** If the edge does not state the size of the request. */
const DEFAULT_BYTES = 1_024;

export const arrivalOf = <Type extends CommandType>(
  { commandId, bytes = DEFAULT_BYTES, traceparent, ...submission }: Submission<Type>,
  resolve: (outcome: Outcome) => void,
): Arrival => {
  const scope = scopeFor(submission);
  return {
    envelope: { id: commandId ?? newId(), ...submission, ...(scope && { scope }) },
    weight: weightOf(submission.command),
    bytes,
    receivedAt: performance.now(),
    ...(traceparent !== undefined && { traceparent }),
    resolve,
  };
};

/**
 * Commands of one tenant that are decided and committed together. The record passes through the
 * stages: each stage adds its own fields and changes none of the others.
 */
export interface Batch {
  readonly tenantId: TenantId;
  readonly arrivals: readonly Arrival[];
  /** Number of attempts that lost to another commit. */
  readonly conflicts: number;
  /** Number of attempts that failed on a unique key that no decider had seen. Default: 0. */
  readonly duplicates?: number;
  /** Every lookup is made, even one whose result is unlikely to matter (gather.ts). Default: false. */
  readonly looksUpAll?: true;
}

export const batchOf = (arrivals: readonly Arrival[]): Batch => {
  const [first] = arrivals;
  if (!first) throw new Error('A batch needs at least one command.');
  return { tenantId: first.envelope.tenantId, arrivals, conflicts: 0 };
};

export interface GatheredBatch extends Batch {
  /** All lookups so far: those that the commands state, and those that deciders added. */
  readonly lookups: readonly Lookup[];
  readonly loaded: Loaded;
  readonly workspace: Workspace;
  /** Commands of this batch that an earlier commit has carried out. */
  readonly committed: ReadonlyMap<string, CommandLogEntry>;
}

/** A command with its decision. */
export interface DecidedCommand {
  readonly envelope: Omit<Envelope, 'command'> & { readonly command: Command };
  readonly decision: Decision<unknown>;
  /** It was committed before, so nothing is written for it now. */
  readonly recalled: boolean;
}

/** An arrival with its decision. */
export interface DecidedArrival {
  readonly arrival: Arrival;
  /** For a Bulk: of all operations together. */
  readonly decision: Decision<unknown>;
  /** The command itself, or the operations of a Bulk that were decided, in order. */
  readonly commands: readonly DecidedCommand[];
  /** The operations of a Bulk that remain to be decided. */
  readonly rest?: RestOfBulk;
}

/** The operations of a Bulk from the first that has to wait for a job of the same Bulk. */
export interface RestOfBulk {
  readonly command: RunBulk;
  /** The result of each of them if the job takes too long. */
  readonly refusal: Refusal;
}

export interface DecidedBatch extends GatheredBatch {
  readonly decisions: readonly DecidedArrival[];
}

export interface CommittedBatch extends DecidedBatch {
  readonly events: readonly DomainEvent[];
  /** Log entries that the commit has written. */
  readonly logged: readonly CommandLogEntry[];
  /** Log entries of commands that changed nothing. */
  readonly unlogged: readonly CommandLogEntry[];
}

const MAX_CONFLICTS = 3;

/**
 * Whether a batch has lost to other instances' commits so often that its instance takes the
 * tenant's priority lock. Without it, a large batch never succeeds beside a busy instance with small
 * ones (pipeline-rules.md 4).
 */
export const needsPriorityLock = ({ conflicts }: Batch): boolean => conflicts >= MAX_CONFLICTS;

export type SingleEnvelope = Envelope<SingleCommandType>;
export type BulkEnvelope = Envelope & { readonly command: RunBulk };

export const isBulk = (envelope: Envelope): envelope is BulkEnvelope =>
  envelope.command.type === 'bulk';

/**
 * An operation of a Bulk, or the refusal of one that the edge could not read. It has nothing that
 * makes a repeated request harmless: each would have that of the whole Bulk.
 */
type Operation =
  | (CommandContext & {
      readonly command: BulkableCommand;
      readonly idempotency?: never;
      readonly takesEffectOnce?: never;
    })
  | { readonly refusal: Refusal };

/** The operations of a Bulk, each with an id of its own (pipeline-rules.md 6). */
export const operationsOf = (bulk: BulkEnvelope): readonly Operation[] => {
  const { tenantId, actor, source, requestId, scope } = bulk;
  const context = { tenantId, actor, source, requestId, ...(scope && { scope }) };
  return bulk.command.operations.map((operation) =>
    'command' in operation ? { ...context, ...operation } : operation,
  );
};

/** The command, or those of a Bulk's operations. */
export const commandsOf = (envelope: Envelope): readonly SingleEnvelope[] =>
  isBulk(envelope)
    ? operationsOf(envelope).flatMap((operation) => ('command' in operation ? [operation] : []))
    : // The command is no Bulk, which TypeScript does not infer from `isBulk`.
      [envelope as SingleEnvelope];

/** The jobs that a decision creates, for changes that are too large for one commit. */
export const startedJobs = (decision: Decision<unknown>): readonly Job[] =>
  isRefused(decision)
    ? []
    : decision.changes.flatMap(({ table, before, after }) =>
        table === 'jobs' && !before && after ? [after] : [],
      );

/** The jobs that a response waits for: those that a decision creates or restarts. */
export const awaitedJobs = (decision: Decision<unknown>): readonly JobProgress[] => {
  if (isRefused(decision)) return [];
  const jobs = new Map<string, JobProgress>();
  for (const { table, after } of decision.changes)
    if (table === 'jobs' && after?.finishedAt === null) jobs.set(after.id, progressOf(after));
  for (const job of decision.jobs ?? []) jobs.set(job.id, job);
  return [...jobs.values()];
};

const progressOf = ({ id, done, total }: Job): JobProgress => ({ id, done, total });

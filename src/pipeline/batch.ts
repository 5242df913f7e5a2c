import type { Verdict } from '../domain/decide/decider.js';
import type { Asked, Command, Envelope, RunBulk } from '../domain/commands.js';
import type { DomainEvent } from '../domain/events.js';
import type { TenantId } from '../domain/ids.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { Refusal } from '../domain/refusals.js';
import type { Need } from '../domain/tables.js';
import type { CommandLogEntry, Loaded } from './commit-store.js';
import type { Outcome } from './submit.js';
import type { Workspace } from './workspace.js';

/** A command that waits for its answer. */
export interface Arrival {
  readonly envelope: Envelope;
  /** About how many rows it changes. */
  readonly weight: number;
  /** About how much memory it takes while it waits. */
  readonly bytes: number;
  /** Milliseconds of the monotonic clock. */
  readonly receivedAt: number;
  /** Tells the caller; called exactly once. */
  readonly answer: (outcome: Outcome) => void;
}

/**
 * The record that travels through the stages: each adds its own field, none changes another's.
 * First what arrived while the last batch of the lane was committing.
 */
export interface Batch {
  readonly tenantId: TenantId;
  readonly arrivals: readonly Arrival[];
  /** How often other commits came first. */
  readonly conflicts: number;
  /** How often a commit's answer was lost: look first whether it is there (pipeline-rules.md 6). */
  readonly replays: number;
  /** How often a unique key was taken that no decider had seen; absent: never. */
  readonly duplicates?: number;
}

export interface Gathered extends Batch {
  /** All that was asked for so far: what the commands say of themselves, and what deciders add. */
  readonly needs: readonly Need[];
  readonly loaded: Loaded;
  readonly workspace: Workspace;
  /** Commands of this batch that an earlier, unanswered commit has carried out. */
  readonly committed: ReadonlyMap<string, CommandLogEntry>;
}

/** The verdict on one command; `recalled` where it was found committed. */
export interface JudgedCommand {
  readonly envelope: Asked & { readonly command: Command };
  readonly verdict: Verdict<unknown>;
  readonly recalled: boolean;
}

/** What became of one arrival. */
export interface Judged {
  readonly arrival: Arrival;
  /** What the caller is told; of a Bulk: all its operations together. */
  readonly verdict: Verdict<unknown>;
  /** Itself, or the operations of a Bulk that were decided, in their order. */
  readonly commands: readonly JudgedCommand[];
  /** Of a Bulk: what comes after that. */
  readonly rest?: RestOfBulk;
}

/** The operations of a Bulk from the first that has to wait for a job which the Bulk itself begins. */
export interface RestOfBulk {
  readonly command: RunBulk;
  /** What each of them is told where the job takes too long. */
  readonly refusal: Refusal;
}

export interface Decided extends Gathered {
  readonly judged: readonly Judged[];
}

export interface Committed extends Decided {
  readonly events: readonly DomainEvent[];
  readonly outbox: readonly OutboxRow[];
  /** Of commands that changed nothing; those that did are logged in the commit. */
  readonly unlogged: readonly CommandLogEntry[];
}

import type { JsonValue } from '../domain/kernel/json.js';
import type { Source } from '../domain/kernel/actor.js';
import type { CommandType } from '../domain/commands.js';
import type { DomainEvent } from '../domain/events.js';
import type { CommandId, TenantId } from '../domain/kernel/ids.js';
import type { Job } from '../domain/job/job.js';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { Change, Entities, Lookup, TableName } from '../domain/tables.js';
import type { Tenant } from '../domain/tenant/tenant.js';

/** A resource in the provisioning log. */
export interface LoggedResource {
  /** `user`, `room`, `group`, `role_mapping`, `sms_list`, `api_key`, `tenant`, `job`, or a plugin's. */
  readonly kind: string;
  /** Null if its creation was refused: the generated id belongs to nothing. */
  readonly id: string | null;
  /** Its name at that time: a user name, a group's display name, a key's description. */
  readonly name: string | null;
}

/** A value that a command changed. */
export interface LoggedChange {
  /** A field of the subject, or of another resource: `users[<id>].role`. */
  readonly path: string;
  /** Null: not set. `before` and `after` are absent if the values are not logged. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Affected resources that an entry shows; their count is exact. */
export const MAX_AFFECTED_SHOWN = 20;
/** Affected resources whose ids find the entry: as many as one commit changes. */
export const MAX_AFFECTED_KEYS = 1_000;
/** Members left out whose ids an entry shows; their count is exact. */
export const MAX_SKIPPED_SHOWN = 50;
/** Changes that an entry shows; their count is exact. */
export const MAX_CHANGES_SHOWN = 50;

/** The tenant's version, which every commit checks first (pipeline-rules.md 3). */
interface TenantVersion {
  /** Incremented by every commit. */
  readonly v: number;
  /** The last position used in the event log. */
  readonly seq: number;
  /** The next user's number in the order of creation. */
  readonly nextOrdinal: number;
}

/** What a gather loads: one consistent view, as of the tenant's version. */
export interface Loaded {
  readonly tenant: Tenant | undefined;
  readonly version: TenantVersion;
  /** The database server's time, later than that of the tenant's last commit. */
  readonly now: Date;
  /** All entities under the keys that were looked up. */
  readonly entities: { readonly [T in TableName]?: readonly Entities[T][] };
  /** Nothing was looked up: the entities are assumed not to exist. */
  readonly isAssumed?: true;
}

interface LoadOptions {
  /** Permits to assume that the lookups find nothing, if the tenant's state is in memory. */
  readonly mayAssume: boolean;
}

export type LogOutcome = 'applied' | 'no-op' | 'refused' | 'failed';

/** The stored part of a refusal: enough to return it again, without personal data or long details. */
export type LoggedRefusal = Pick<Refusal, 'code' | 'message' | 'scimType'>;

/** An entry of the provisioning log, without secrets or phone numbers (pipeline-rules.md 15). */
export interface CommandLogEntry {
  readonly id: CommandId;
  readonly tenantId: TenantId;
  readonly at: Date;
  /** `api-key:<id>`, `operator:<name>` … */
  readonly actor: string;
  /** The actor's name at that time. */
  readonly actorName: string | null;
  readonly source: Source;
  readonly type: CommandType;
  readonly subject: LoggedResource | null;
  /**
   * Other resources that it changed, or users whom it would have added, if it was refused: the first
   * ones, and the number of all.
   */
  readonly affected: readonly LoggedResource[];
  readonly affectedCount: number;
  readonly outcome: LogOutcome;
  readonly refusal: LoggedRefusal | null;
  /** Changed values: the first ones, and the number of all. */
  readonly changes: readonly LoggedChange[];
  readonly changeCount: number;
  /** Ids of unknown members that were left out: the first ones, and the number of all. */
  readonly skipped?: { readonly ids: readonly string[]; readonly count: number };
  /** Search keys (log-keys.ts). */
  readonly keys: readonly string[];
  /** First and last position in the event log; null without events. */
  readonly events: readonly [first: number, last: number] | null;
  /** Deliveries of the events that were attempted so far; counted when the entry is read. */
  readonly deliveries: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** Of entries without a commit: their number in the tenant's log, in the order of visibility. */
  readonly unappliedSeq?: number;
  /** Only for commands whose catalogue row has `storesResponse`. */
  readonly answer?: JsonValue;
}

/** What a job's step adds to the counts in the entry of its command. */
export interface LogCounts {
  readonly id: CommandId;
  readonly affected: number;
  readonly changes: number;
}

/** Everything that a batch writes in one transaction. */
export interface CommitPlan {
  readonly tenantId: TenantId;
  readonly version: TenantVersion;
  readonly seqAfter: number;
  readonly now: Date;
  /** The net of the batch: at most one change per entity. */
  readonly changes: readonly Change[];
  readonly events: readonly DomainEvent[];
  readonly log: readonly CommandLogEntry[];
  readonly logCounts: readonly LogCounts[];
}

/** Another commit came first. The batch is gathered and decided again. */
export class CommitConflict extends Error {
  override readonly name = 'CommitConflict';
}

/**
 * A unique key is taken although the tenant's version has not changed: the batch conflicts with
 * something that no decider has seen (pipeline-rules.md 10).
 */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
}

/** Another instance holds the tenant's priority lock (pipeline-rules.md 4). */
export class PriorityLockHeld extends Error {
  override readonly name = 'PriorityLockHeld';
}

/** The database does not respond. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(
    /** 'unknown': the result was lost, so the data may be written (pipeline-rules.md 6). */
    readonly written: 'nothing' | 'unknown',
    options?: ErrorOptions,
  ) {
    super('The database does not respond.', options);
  }
}

/** The pipeline's access to the database. Methods reject with StoreUnavailable if it is unavailable. */
export interface CommitStore {
  /** Rejects with PriorityLockHeld while another instance holds the priority lock. */
  readonly load: (
    tenantId: TenantId,
    lookups: readonly Lookup[],
    options?: LoadOptions,
  ) => Promise<Loaded>;
  /**
   * Rejects with CommitConflict if the tenant's version is no longer the plan's, and with
   * DuplicateKey if it is but a unique key is taken.
   */
  readonly commit: (plan: CommitPlan) => Promise<void>;
  /**
   * Requests the tenant's priority lock: other instances wait until this instance commits, for at
   * most ten seconds. The next load shows whether it was acquired (pipeline-rules.md 4).
   */
  readonly requestPriorityLock: (tenantId: TenantId) => Promise<void>;
  /** Releases the priority lock without a commit; a commit releases it too. */
  readonly releasePriorityLock: (tenantId: TenantId) => Promise<void>;
  /** Whether the tenant still has this version. Checked for a batch without changes. */
  readonly isAt: (tenantId: TenantId, version: TenantVersion) => Promise<boolean>;
  /** The log entries of those commands that were committed. */
  readonly findCommitted: (
    tenantId: TenantId,
    ids: readonly CommandId[],
  ) => Promise<ReadonlyMap<CommandId, CommandLogEntry>>;
  /** Unfinished jobs without a recent step: their instance has stopped. */
  readonly findAbandonedJobs: () => Promise<readonly Job[]>;
  /** Logs commands that changed nothing, outside a transaction. Entries may be lost. */
  readonly log: (entries: readonly CommandLogEntry[]) => Promise<void>;
}

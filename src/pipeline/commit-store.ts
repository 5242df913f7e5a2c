import type { Source } from '../domain/actor.js';
import type { CommandType } from '../domain/commands.js';
import type { DomainEvent } from '../domain/events.js';
import type { CommandId, TenantId } from '../domain/ids.js';
import type { Job } from '../domain/job.js';
import type { JsonValue } from '../domain/json.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { Refusal } from '../domain/refusals.js';
import type { Change, Entities, Need, TableName } from '../domain/tables.js';
import type { Tenant } from '../domain/tenant.js';
import type { LoggedChange, LoggedThing } from './logged-command.js';

/** Where a tenant's history stands: checked first by every commit (pipeline-rules.md 3). */
export interface TenantVersion {
  /** Bumped by every commit. */
  readonly v: number;
  /** The last place given in the event log. */
  readonly seq: number;
  /** The place of the next user in the order of creation. */
  readonly nextOrdinal: number;
}

/** What a gather brings: one view, as of the tenant's version. */
export interface Loaded {
  readonly tenant: Tenant | undefined;
  readonly version: TenantVersion;
  /** The database server's time, later than that of the tenant's last commit. */
  readonly now: Date;
  /** Everything that stands under a key that was asked for; a key with nothing under it is absent. */
  readonly entities: { readonly [T in TableName]?: readonly Entities[T][] };
}

export type LogOutcome = 'applied' | 'no-op' | 'refused' | 'failed';

/**
 * What is kept of a refusal: enough to give the answer again, and nothing of a person. Details are
 * left out, for they may be many.
 */
export type LoggedRefusal = Pick<Refusal, 'code' | 'message' | 'scimType'>;

/** A line of the provisioning log: thin, without secrets or phone numbers (pipeline-rules.md 15). */
export interface CommandLogEntry {
  readonly id: CommandId;
  readonly tenantId: TenantId;
  readonly at: Date;
  /** `api-key:<id>`, `operator:<name>` … */
  readonly actor: string;
  /** What people called the actor then. */
  readonly actorName: string | null;
  readonly source: Source;
  readonly type: CommandType;
  readonly subject: LoggedThing | null;
  /** What else it changed: the first of them, and how many there are. */
  readonly affected: readonly LoggedThing[];
  readonly affectedCount: number;
  readonly outcome: LogOutcome;
  readonly refusal: LoggedRefusal | null;
  /** What changed: the first of it, and how much there is. */
  readonly changes: readonly LoggedChange[];
  readonly changeCount: number;
  /** What the line is found by (log-keys.ts). */
  readonly keys: readonly string[];
  /** First and last place in the event log, or null where nothing happened. */
  readonly events: readonly [first: number, last: number] | null;
  /** Number of deliveries that the commit planned for its events. */
  readonly deliveries: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** Only where nothing else could tell the answer again (a plugin's rule). */
  readonly answer?: JsonValue;
}

/** All that a batch writes, in one transaction. */
export interface CommitPlan {
  readonly tenantId: TenantId;
  readonly version: TenantVersion;
  readonly seqAfter: number;
  readonly now: Date;
  /** Net of the whole batch: at most one change an entity. */
  readonly changes: readonly Change[];
  readonly events: readonly DomainEvent[];
  readonly outbox: readonly OutboxRow[];
  readonly log: readonly CommandLogEntry[];
}

/** Another commit came first: gather and decide again. */
export class CommitConflict extends Error {
  override readonly name = 'CommitConflict';
}

/**
 * A unique key is taken, though the tenant's version is the one that was gathered: something in the
 * batch collides with what no decider saw (pipeline-rules.md 10).
 */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
}

/**
 * Another instance lost too often and has its turn now: ask again in a moment
 * (pipeline-rules.md 4).
 */
export class TurnTaken extends Error {
  override readonly name = 'TurnTaken';
}

/** The database does not answer. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(
    /** 'nothing': surely not written. 'unknown': the answer was lost, it may be (pipeline-rules.md 6). */
    readonly written: 'nothing' | 'unknown',
    options?: ErrorOptions,
  ) {
    super('The database does not answer.', options);
  }
}

/** What the pipeline asks of the database. Methods reject with StoreUnavailable where it is away. */
export interface CommitStore {
  /** Rejects with TurnTaken while another instance has its turn. */
  readonly load: (tenantId: TenantId, needs: readonly Need[]) => Promise<Loaded>;
  /**
   * Rejects with CommitConflict where the tenant's version is no longer the plan's, with DuplicateKey
   * where it is and a unique key is taken.
   */
  readonly commit: (plan: CommitPlan) => Promise<void>;
  /**
   * Bids for the tenant's next commit: until it is made or ten seconds have gone, other instances
   * wait. Whether it was got shows in the next load (pipeline-rules.md 4).
   */
  readonly takeTurn: (tenantId: TenantId) => Promise<void>;
  /** Gives a turn up without a commit, which would have ended it. */
  readonly yieldTurn: (tenantId: TenantId) => Promise<void>;
  /** Whether the tenant is still at this version: what refusals alone are checked by. */
  readonly isAt: (tenantId: TenantId, version: TenantVersion) => Promise<boolean>;
  /** Those of these commands that were committed. */
  readonly findCommitted: (
    tenantId: TenantId,
    ids: readonly CommandId[],
  ) => Promise<ReadonlyMap<CommandId, CommandLogEntry>>;
  /** Unfinished jobs that nobody has moved on for a while: their gateway is gone. */
  readonly findAbandonedJobs: () => Promise<readonly Job[]>;
  /** Logs commands that changed nothing, outside any transaction; may lose some. */
  readonly log: (entries: readonly CommandLogEntry[]) => Promise<void>;
}

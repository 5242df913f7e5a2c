import type { Source } from '../domain/kernel/actor.js';
import type { CommandType } from '../domain/commands.js';
import type { ApiKeyId, TenantId } from '../domain/kernel/ids.js';
import type { CommandLogEntry, LogOutcome } from '../pipeline/commit-store.js';

/** A position in the log: of an entry, or of the last one that was read. */
export interface LogPosition {
  readonly at: Date;
  readonly id: string;
}

/** A query of the provisioning log; all conditions must match. */
export interface CommandLogQuery {
  readonly limit: number;
  /** Default: from the newest entry. */
  readonly after?: LogPosition;
  readonly type?: CommandType;
  readonly outcome?: LogOutcome;
  readonly source?: Source;
  /** Id or name of the subject. */
  readonly subject?: string;
  /** A user or room that the command changed, as subject or otherwise: id, or user name or email. */
  readonly affected?: string;
  /** Ids of resources, each of which must be the subject or affected. */
  readonly touching?: readonly string[];
  /** Id of an API key, or name of an operator. */
  readonly actor?: string;
  readonly requestId?: string;
  /** Part of a name or id in the entry, case-insensitively. */
  readonly text?: string;
  /** since ≤ at < until. */
  readonly since?: Date;
  readonly until?: Date;
}

/** How far a tenant's log is written. Everything up to there can be read. */
export interface LogEnd {
  /** The time of the last commit. Those of a tenant are in order: the next one is later. */
  readonly committedAt: Date;
  /** The number of entries without a commit; their numbers are in the order of visibility. */
  readonly unapplied: number;
}

export interface CommandLogPage {
  /** May have fewer entries than the limit, even none, although there is a next page. */
  readonly entries: readonly CommandLogEntry[];
  /** Where the next page starts; absent after the last page. */
  readonly next?: LogPosition;
}

/** Reads the provisioning log, newest first by time, then id. */
export interface CommandLogReader {
  readonly page: (tenantId: TenantId, query: CommandLogQuery) => Promise<CommandLogPage>;
  readonly find: (tenantId: TenantId, id: string) => Promise<CommandLogEntry | undefined>;
  /** How far the logs of these tenants are written: two queries, for any number of tenants. */
  readonly ends: (tenantIds: readonly TenantId[]) => Promise<ReadonlyMap<TenantId, LogEnd>>;
  /** Positions after one, up to and including a time, oldest first, read from an index. */
  readonly positions: (
    tenantId: TenantId,
    query: { readonly after: LogPosition; readonly until: Date; readonly limit: number },
  ) => Promise<readonly LogPosition[]>;
  /** Entries without a commit after this number, oldest first. */
  readonly unapplied: (
    tenantId: TenantId,
    query: { readonly after: number; readonly limit: number },
  ) => Promise<readonly CommandLogEntry[]>;
  /**
   * The first success and the last failure of each step that an API key takes to connect an identity
   * provider, newest first.
   */
  readonly setupOf: (tenantId: TenantId, keyId: ApiKeyId) => Promise<readonly CommandLogEntry[]>;
  /** Those of these entries that exist, oldest first. */
  readonly findAll: (
    tenantId: TenantId,
    ids: readonly string[],
  ) => Promise<readonly CommandLogEntry[]>;
}

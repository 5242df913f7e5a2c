import type { Source } from '../domain/actor.js';
import type { CommandType } from '../domain/commands.js';
import type { TenantId } from '../domain/ids.js';
import type { CommandLogEntry, LogOutcome } from '../pipeline/commit-store.js';

/** A place in the log: of a line, or of the last one that was looked at. */
export interface LogPosition {
  readonly at: Date;
  readonly id: string;
}

/** Which lines of the provisioning log; all conditions must hold. */
export interface CommandLogQuery {
  readonly limit: number;
  /** Absent: the newest. */
  readonly after?: LogPosition;
  readonly type?: CommandType;
  readonly outcome?: LogOutcome;
  readonly source?: Source;
  /** The id or the name of what the command was about. */
  readonly subject?: string;
  /** A user who is changed by it, whatever it was about: by id, user name or e-mail. */
  readonly affected?: string;
  /** Ids of things: each must be what the line was about, or be changed by it. */
  readonly touching?: readonly string[];
  /** A key's id, or an operator's name. */
  readonly actor?: string;
  readonly requestId?: string;
  /** In a name or an id of the line, anywhere, without regard to case. */
  readonly text?: string;
  /** Half-open, like every window of Rollgate: since ≤ at < until. */
  readonly since?: Date;
  readonly until?: Date;
}

export interface CommandLogPage {
  /** May be fewer than asked for, even none, while there is a next page. */
  readonly entries: readonly CommandLogEntry[];
  /** Where the next page begins; absent: the log has been looked through to its end. */
  readonly next?: LogPosition;
}

/** Reads of the provisioning log: newest first, by time, then id. */
export interface CommandLogReader {
  readonly page: (tenantId: TenantId, query: CommandLogQuery) => Promise<CommandLogPage>;
}

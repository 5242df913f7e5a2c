import type { Source } from '../domain/actor.js';
import type { CommandType } from '../domain/commands.js';
import type { TenantId } from '../domain/ids.js';
import type { CommandLogEntry, LogOutcome } from '../pipeline/commit-store.js';
import type { Page } from './tenants.js';

/** Which lines of the provisioning log; all conditions must hold. */
export interface CommandLogQuery extends Page {
  readonly type?: CommandType;
  readonly outcome?: LogOutcome;
  readonly source?: Source;
  /** The id of what the command was about. */
  readonly target?: string;
  /** Half-open, like every window of Rollgate: since ≤ at < until. */
  readonly since?: Date;
  readonly until?: Date;
}

/** Reads of the provisioning log: newest first, by time, then id. */
export interface CommandLogReader {
  readonly page: (
    tenantId: TenantId,
    query: CommandLogQuery,
  ) => Promise<{ readonly entries: readonly CommandLogEntry[]; readonly total: number }>;
}

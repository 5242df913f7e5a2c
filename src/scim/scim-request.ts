import type { WriteCaller } from '../api/caller.js';
import type { GroupReader } from '../api/groups.js';
import type { UserReader } from '../api/users.js';
import type { IfMatch } from '../domain/kernel/precondition.js';
import type { Submit } from '../pipeline/submit.js';
import type { SearchParameters } from './list-query.js';

/** A SCIM request after authentication, authorisation and body checks. */
export interface ScimRequest {
  /** An operator replays a captured request. */
  readonly caller: Pick<WriteCaller, 'tenant' | 'actor'>;
  readonly requestId: string;
  /**
   * The tenant's canonical SCIM base URL, regardless of the mount that was used (decisions.md 1).
   */
  readonly base: string;
  /** The id or name in the path, if the endpoint has one. */
  readonly resourceId?: string;
  /** Query parameters by lower-case name. */
  readonly parameters: SearchParameters;
  /** The parsed JSON body, if the method has one. */
  readonly body: unknown;
  /** From `If-Match`; absent if there is no precondition. */
  readonly ifMatch?: IfMatch;
  readonly users: UserReader;
  readonly groups: GroupReader;
  /** Submits a command; in a dry run, previews it. */
  readonly submit: Submit;
  /** In a dry run, reads after the command return the state before it. */
  readonly isDryRun: boolean;
}

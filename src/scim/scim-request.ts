import type { TenantCaller } from '../api/caller.js';
import type { GroupReader } from '../api/groups.js';
import type { UserReader } from '../api/users.js';
import type { IfMatch } from '../domain/precondition.js';
import type { Submit } from '../pipeline/submit.js';
import type { SearchParameters } from './list-query.js';

/** What a single resource in an answer is: the edge makes headers and 304 of it. */
export interface Told {
  readonly version: number;
  /** Whether the version speaks for all of the answer; a user's does not for his groups. */
  readonly isWhole: boolean;
  /** Where the client finds it; absent: nothing of it is answered. */
  readonly location?: string;
}

/** A request of the SCIM interface that has passed the guards, as resources see it. */
export interface ScimRequest {
  readonly caller: TenantCaller;
  readonly requestId: string;
  /** The tenant's canonical base, whichever mount was used (decisions.md 1). */
  readonly base: string;
  /** The query, by names in lower case. */
  readonly parameters: SearchParameters;
  /** From If-Match; absent: no precondition. */
  readonly ifMatch?: IfMatch;
  readonly users: UserReader;
  readonly groups: GroupReader;
  /** The way in for commands; in a dry run it previews them. */
  readonly submit: Submit;
  /** How long the body is, where the client says so: what waits in a lane takes about so much memory. */
  readonly bytes?: number;
  /** What is read after the command is as it was before it. */
  readonly isDryRun: boolean;
  /**
   * Tells the edge what is answered, before it is; throws where If-Match of a read does not hold.
   * False where the client holds it already, so that no body will be sent.
   */
  readonly tell: (told: Told) => boolean;
}

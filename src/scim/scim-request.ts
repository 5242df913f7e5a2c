import type { TenantCaller } from '../api/caller.js';
import type { UserReader } from '../api/users.js';
import type { IfMatch } from '../domain/commands.js';
import type { Submit } from '../pipeline/submit.js';
import type { SearchParameters } from './list-query.js';

/** What a single resource in an answer is: the edge makes headers and 304 of it. */
export interface Told {
  readonly version: number;
  /** Whether the version speaks for all of the answer; a user's does not for his groups. */
  readonly isWhole: boolean;
  /** Where the client finds what was just created. */
  readonly created?: string;
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
  readonly submit: Submit;
  /** Tells the edge what is answered, before it is; throws where If-Match of a read does not hold. */
  readonly tell: (told: Told) => void;
}

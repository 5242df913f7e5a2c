import type { TenantCaller } from '../api/caller.js';
import type { GroupReader } from '../api/groups.js';
import type { UserReader } from '../api/users.js';
import type { IfMatch } from '../domain/precondition.js';
import type { Submit } from '../pipeline/submit.js';
import type { SearchParameters } from './list-query.js';

/** Metadata of the single resource in a response, from which the edge derives headers and 304. */
export interface Told {
  readonly version: number;
  /**
   * Whether the version changes with every part of the response. A user's does not cover `groups`.
   */
  readonly isWhole: boolean;
  /** URL of the resource; absent if the response has no body. */
  readonly location?: string;
}

/** A SCIM request after authentication, authorisation and body checks. */
export interface ScimRequest {
  readonly caller: TenantCaller;
  readonly requestId: string;
  /**
   * The tenant's canonical SCIM base URL, regardless of the mount that was used (decisions.md 1).
   */
  readonly base: string;
  /** Query parameters by lower-case name. */
  readonly parameters: SearchParameters;
  /** From `If-Match`; absent if there is no precondition. */
  readonly ifMatch?: IfMatch;
  readonly users: UserReader;
  readonly groups: GroupReader;
  /** Submits a command; in a dry run, previews it. */
  readonly submit: Submit;
  /** Content-Length, if sent: an estimate of the memory that a queued command takes. */
  readonly bytes?: number;
  /** In a dry run, reads after the command return the state before it. */
  readonly isDryRun: boolean;
  /**
   * Sets ETag and Location before the response is sent. Throws if the `If-Match` of a read does not
   * match. Returns false if the client already has this version, so that no body is sent.
   */
  readonly tell: (told: Told) => boolean;
}

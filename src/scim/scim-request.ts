import type { SharedCaller } from '../routes/caller.js';
import type { GroupReader, UserReader } from '../ports/users.js';
import type { CommandOf, CommandType, Results } from '../domain/commands.js';
import type { Group } from '../domain/group/group.js';
import type { IfMatch, Refusal } from '../domain/kernel/refusals.js';
import { type Outcome, resultOf, type Submit } from '../pipeline/submit.js';
import type { SearchParameters } from './list-query.js';
import type { JsonBody } from './responses.js';

/** A SCIM request after authentication, authorisation and body checks. */
export interface ScimRequest {
  /** An operator replays a captured request. */
  readonly caller: Pick<SharedCaller, 'tenant' | 'actor'>;
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
  /** Called if a part of the request was refused, but not all of it. */
  readonly onPartRefused?: (refusal: Refusal) => void;
  /** In a dry run, reads after the command return the state before it. */
  readonly isDryRun: boolean;
}

/** The result of an operation; the HTTP edge derives status, headers and 304 from it. */
export interface ScimResponse {
  /** Builds the body; not called if the client already has this version. Absent: no body. */
  readonly body?: () => JsonBody | Promise<JsonBody>;
  readonly created?: true;
  /** Version of the single resource in the body. */
  readonly version?: number;
  /** Whether parts of the body can change without the version: then there is no 304. */
  readonly isVolatile?: boolean;
  /** URL of the single resource in the body. */
  readonly location?: string;
}

/** An operation of the SCIM interface. Rejects with RefusalError. */
export type ScimOperation = (request: ScimRequest) => Promise<ScimResponse>;

/** The operations on a resource type. */
export interface ResourceOperations {
  readonly list: ScimOperation;
  readonly create: ScimOperation;
  readonly read: ScimOperation;
  readonly replace: ScimOperation;
  readonly patch: ScimOperation;
  readonly delete: ScimOperation;
}

/** Submits a command for the caller. */
const submitFor = <Type extends CommandType>(
  { caller, requestId, submit }: ScimRequest,
  command: CommandOf<Type>,
): Promise<Outcome<Type>> =>
  submit<Type>({
    tenantId: caller.tenant.id,
    command,
    actor: caller.actor,
    source: 'scim',
    requestId,
  });

/**
 * Submits a command for the caller and returns its result. Throws RefusalError if it is refused.
 */
export const submitCommand = async <Type extends CommandType>(
  request: ScimRequest,
  command: CommandOf<Type>,
): Promise<Results[Type]> => resultOf(await submitFor(request, command));

/**
 * Submits a command on a group and returns the group. If the command started a job, the group is
 * read again, because each step of the job changes its version.
 */
export const submitGroupCommand = async <Type extends 'group.create' | 'group.change'>(
  request: ScimRequest,
  command: CommandOf<Type>,
): Promise<Group> => {
  const outcome = await submitFor<Type>(request, command);
  const group: Group = resultOf(outcome);
  if (request.isDryRun || !outcome.ok || !outcome.jobs) return group;
  return (await request.groups.find(request.caller.tenant.id, group.id)) ?? group;
};

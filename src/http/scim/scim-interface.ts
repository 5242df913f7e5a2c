import type { Request, RequestHandler } from 'express';
import type { EventLogEnd } from '../../ports/tenants.js';
import type { RoleReader } from '../../ports/rooms.js';
import type { GroupReader, UserReader } from '../../ports/users.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { type Refusal, refusePath, refuseSyntax, raise } from '../../domain/kernel/refusals.js';
import type { Scope } from '../../domain/scopes.js';
import { checkBody } from '../../scim/check-input.js';
import type { ScimOperation, ScimRequest, ScimResponse } from '../../scim/scim-request.js';
import { StreamedJson } from '../../scim/responses.js';
import { isNotModified } from '../conditional.js';
import { DRY_RUN_PARAMETER, requestsDryRun } from '../dry-run.js';
import { SCIM_RULES } from '../json/parse-json.js';
import { SCIM_FORMAT } from '../errors.js';
import { BODY_LIMIT, LONG_BODY_LIMIT, readJsonBody } from '../json/read-json.js';
import { refuseMethod, requireScope } from '../access/request-checks.js';
import { callerOf, contextOf } from '../request-context.js';
import { type Query, refuseParameter } from '../routing/read-query.js';
import {
  type PipelinePorts,
  type ReadRequest,
  readRequest,
  type RequestReader,
  runOperation,
} from '../run-operation.js';
import type { HttpResponse } from '../send-response.js';
import { type Endpoint, findEndpoint, isList } from './endpoints.js';
import { otherOperations } from './operations.js';
import { resourceRouter } from './resource-router.js';

/** Names the job that completes a large change, if it takes longer than the response waits. */
const JOB_HEADER = 'Rollgate-Job';

/** The position in the event log before a list was read, if the tenant's `logPosition` says so. */
const SEQ_HEADER = 'Rollgate-Seq';

export interface ScimParts {
  readonly events: EventLogEnd;
  readonly users: UserReader;
  readonly groups: GroupReader;
  readonly roles: RoleReader;
  readonly maxBulkOperations: number;
}

type QueryParameters = ReadonlyMap<string, string>;

/** The query by lower-case name: Entra sends `startindex` (facts on identity providers, 11). */
export const readParameters = (query: Query): QueryParameters => {
  const parameters = new Map<string, string>();
  for (const [given, value] of Object.entries(query)) {
    const name = given.toLowerCase();
    if (parameters.has(name)) refuseParameter(name, 'appears more than once');
    parameters.set(name, value);
  }
  return parameters;
};

/** Refuses paths and names that a SCIM library would evaluate (scimmy facts, S1). */
export const screened = function* (body: JsonValue): Chunked<JsonValue> {
  const problem = yield* checkBody(body);
  if (problem?.where === 'path') refusePath(`A path in the body is not valid: ${problem.reason}.`);
  if (problem?.where === 'key') refuseSyntax(`A name in the body is not valid: ${problem.reason}.`);
  return body;
};

/** The id or name at the end of the path, if the endpoint has one. */
export const readResourceId = (
  { path }: Pick<Request, 'path'>,
  { route, pattern }: Endpoint,
): { readonly resourceId?: string } => {
  const [, given] = pattern.exec(path) ?? [];
  if (given === undefined) return {};
  try {
    return { resourceId: decodeURIComponent(given) };
  } catch {
    // For discovery this is an unknown name (404); elsewhere the URL is invalid, as in the native
    // API.
    if (!route.endsWith('{id}')) return { resourceId: '' };
    return raise('INVALID_REQUEST', 'The URL is not well-formed: check its percent-encoding.');
  }
};

type ScimReader = RequestReader<
  ReturnType<typeof readResourceId>,
  QueryParameters,
  JsonValue | undefined
>;

/** Their bodies may exceed 1 MiB: they have many members or operations. */
const LONG: ReadonlySet<string> = new Set(['groups', 'group', 'bulk']);
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** A request for an endpoint, by a method that requires this scope. */
const readerOf = (endpoint: Endpoint, scope: Scope | 'any key'): ScimReader => ({
  checkAccess: (request) => {
    if (scope !== 'any key') requireScope(request, scope);
  },
  readParams: (request) => readResourceId(request, endpoint),
  readQuery: (given, { headers }) => {
    const query = readParameters(given);
    // Only operations that change something have dry runs; a search by POST ignores the preference.
    const isDryRun =
      scope === 'scim:write' && requestsDryRun(headers, query.get(DRY_RUN_PARAMETER));
    return { query, isDryRun };
  },
  readBody: (request) => {
    if (!WITH_BODY.has(request.method) || endpoint.name === 'me') return undefined;
    return readJsonBody(request, {
      limit: LONG.has(endpoint.name) ? LONG_BODY_LIMIT : BODY_LIMIT,
      rules: SCIM_RULES,
      required: true,
      isScim: true,
      check: screened,
    });
  },
});

/** What an operation gets of a request, but for `submit`. */
export const scimRequestOf = (
  { users, groups }: ScimParts,
  { publicUrl }: PipelinePorts,
  caller: ScimRequest['caller'],
  {
    params,
    query,
    ...read
  }: ReadRequest<ReturnType<typeof readResourceId>, QueryParameters, unknown>,
): Omit<ScimRequest, 'submit'> => ({
  ...read,
  ...params,
  parameters: query,
  caller,
  base: `${publicUrl()}/v1/${caller.tenant.slug}/scim/v2`,
  users,
  groups,
});

const statusOf = ({ created, body }: ScimResponse): number => {
  if (created) return 201;
  return body ? 200 : 204;
};

/**
 * The response with its headers. The body is only built if the client does not have it yet; a version
 * that does not cover the whole body never leads to 304 (decisions.md 3).
 */
export const scimResponseOf = async (
  request: Pick<Request, 'method' | 'headers'>,
  result: ScimResponse,
): Promise<HttpResponse> => {
  const { version, isVolatile = false, location } = result;
  if (version !== undefined && isNotModified(request, version) && !isVolatile)
    return { status: 304, version };
  const body = await result.body?.();
  return {
    status: statusOf(result),
    ...(body instanceof StreamedJson ? { chunks: body.chunks } : { body }),
    ...(version !== undefined && { version }),
    ...(location !== undefined && { headers: { Location: location } }),
  };
};

const withHeader = (response: HttpResponse, name: string, value: string): HttpResponse => ({
  ...response,
  headers: { ...response.headers, [name]: value },
});

/**
 * The SCIM 2.0 interface of a tenant (RFC 7643, 7644). Requests for users and groups pass through
 * scimmy-routers; the operations of other endpoints are ours.
 */
export const scimInterface = (parts: ScimParts, ports: PipelinePorts): RequestHandler => {
  const others = otherOperations(parts);
  const routeResource = resourceRouter();
  return async (request, response, next) => {
    const endpoint =
      findEndpoint(request.path) ?? raise('NOT_FOUND', 'No SCIM endpoint has this path.');
    const context = contextOf(request);
    context.route = `/v1/{tenantSlug}/scim/v2${endpoint.route}`;
    const scope =
      endpoint.methods.get(request.method) ?? refuseMethod(response, endpoint.methods.keys());
    const read = await readRequest(request, readerOf(endpoint, scope));
    const caller = callerOf(request);
    const { id, scim } = caller.tenant;
    const scimRequest = {
      ...scimRequestOf(parts, ports, caller, read),
      onPartRefused: (refusal: Refusal) => {
        context.partRefusal = refusal;
      },
    };
    const run = (operation: ScimOperation): Promise<void> =>
      runOperation(ports, request, response, {
        isDryRun: read.isDryRun,
        format: SCIM_FORMAT,
        handle: async (submit) => {
          // Before the list, so that no change can be between the two.
          const seq =
            scim.logPosition && isList(request.method, endpoint)
              ? await parts.events.position(id)
              : undefined;
          const sent = await scimResponseOf(request, await operation({ ...scimRequest, submit }));
          return seq === undefined ? sent : withHeader(sent, SEQ_HEADER, String(seq));
        },
        finish: (result, { job }) => (job ? withHeader(result, JOB_HEADER, job.id) : result),
      });
    const other = others[endpoint.name];
    if (other) return run(other);
    context.runScim = run;
    routeResource(request, response, next);
  };
};

import express, { type Request, type RequestHandler, type Response } from 'express';
import type { EventLogEnd } from '../../ports/tenants.js';
import type { RoleReader } from '../../ports/rooms.js';
import type { GroupReader, UserReader } from '../../ports/users.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { refusePath, refuseSyntax, raise } from '../../domain/kernel/refusals.js';
import { checkBody } from '../../scim/check-input.js';
import type { ScimRequest, ScimResponse } from '../../scim/scim-request.js';
import { StreamedJson } from '../../scim/responses.js';
import { isNotModified, readPrecondition } from '../conditional.js';
import { DRY_RUN_PARAMETER, requestsDryRun } from '../dry-run.js';
import { SCIM_RULES } from '../json/parse-json.js';
import { handleErrors, SCIM_FORMAT } from '../errors.js';
import { BODY_LIMIT, LONG_BODY_LIMIT, readJsonBody } from '../json/read-json.js';
import { refuseMethod, requireScope } from '../access/request-checks.js';
import { callerOf, contextOf } from '../request-context.js';
import { readQuery, refuseParameter } from '../routing/read-query.js';
import { type PipelinePorts, runOperation } from '../run-operation.js';
import { type HttpResponse, sendResponse } from '../send-response.js';
import { type Endpoint, findEndpoint, isList } from './endpoints.js';
import { mountScimmy, type RunScimOperation, otherOperations } from './operations.js';

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

/** The endpoint of the request, if it has the method and the key has the scope. */
const admit = (request: Request, response: Response): Endpoint => {
  const endpoint =
    findEndpoint(request.path) ?? raise('NOT_FOUND', 'No SCIM endpoint has this path.');
  contextOf(request).route = `/v1/{tenantSlug}/scim/v2${endpoint.route}`;
  const scope =
    endpoint.methods.get(request.method) ?? refuseMethod(response, endpoint.methods.keys());
  if (scope !== 'any key') requireScope(request, scope);
  return endpoint;
};

/** Only operations that change something have dry runs; a search by POST ignores the preference. */
const isDryRun = (
  { method, headers }: Request,
  { methods }: Endpoint,
  parameters: QueryParameters,
): boolean =>
  methods.get(method) === 'scim:write' &&
  requestsDryRun(headers, parameters.get(DRY_RUN_PARAMETER));

export type QueryParameters = ReadonlyMap<string, string>;

/** The query by lower-case name: Entra sends `startindex` (facts on identity providers, 11). */
export const readParameters = ({ url }: Pick<Request, 'url'>): QueryParameters => {
  const parameters = new Map<string, string>();
  for (const [given, value] of Object.entries(readQuery(url))) {
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

/** The JSON body; undefined if the method or the endpoint has none. */
const readBody = async (
  request: Request,
  { takesBody, isLong }: Endpoint,
): Promise<JsonValue | undefined> => {
  if (!takesBody || !['POST', 'PUT', 'PATCH'].includes(request.method)) return undefined;
  return readJsonBody(request, {
    limit: isLong ? LONG_BODY_LIMIT : BODY_LIMIT,
    rules: SCIM_RULES,
    required: true,
    isScim: true,
    check: screened,
  });
};

/** The id or name at the end of the path, if the endpoint has one. */
export const readResourceId = (
  { path }: Pick<Request, 'path'>,
  { route }: Endpoint,
): { readonly resourceId?: string } => {
  if (!route.endsWith('}')) return {};
  try {
    return { resourceId: decodeURIComponent(path.replace(/\/$/, '').split('/').at(-1) ?? '') };
  } catch {
    // For discovery this is an unknown name (404); elsewhere the URL is invalid, as in the native
    // API.
    if (!route.endsWith('{id}')) return { resourceId: '' };
    return raise('INVALID_REQUEST', 'The URL is not well-formed: check its percent-encoding.');
  }
};

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

/**
 * Checks a request and reads it. The order is part of the contract (scimmy facts, 1): path and method,
 * scope, query, body. So a client without the scope learns nothing about what else is wrong, and no
 * library gets input that was not checked.
 */
const prepare = async (
  { users, groups, events }: ScimParts,
  ports: PipelinePorts,
  request: Request,
  response: Response,
): Promise<{ readonly endpoint: Endpoint; readonly run: RunScimOperation }> => {
  const endpoint = admit(request, response);
  const parameters = readParameters(request);
  const dryRun = isDryRun(request, endpoint, parameters);
  const body = await readBody(request, endpoint);
  const context = contextOf(request);
  const caller = callerOf(request);
  const ifMatch = readPrecondition(request.headers);
  const scimRequest: Omit<ScimRequest, 'submit'> = {
    caller,
    requestId: context.requestId,
    base: `${ports.publicUrl()}/v1/${caller.tenant.slug}/scim/v2`,
    ...readResourceId(request, endpoint),
    parameters,
    body,
    ...(ifMatch !== undefined && { ifMatch }),
    users,
    groups,
    onPartRefused: (refusal) => {
      context.partRefusal = refusal;
    },
    isDryRun: dryRun,
  };
  const run: RunScimOperation = async (operation) => {
    const { result, status } = await runOperation(ports, request, {
      isDryRun: dryRun,
      format: SCIM_FORMAT,
      handle: async (submit) => {
        const { id, scim } = caller.tenant;
        // Before the list, so that no change can be between the two.
        const seq =
          scim.logPosition && isList(request.method, endpoint)
            ? await events.position(id)
            : undefined;
        const sent = await scimResponseOf(request, await operation({ ...scimRequest, submit }));
        return seq === undefined
          ? sent
          : { ...sent, headers: { ...sent.headers, [SEQ_HEADER]: String(seq) } };
      },
    });
    const headers = { ...result.headers, ...(status.job && { [JOB_HEADER]: status.job.id }) };
    return { ...result, headers };
  };
  return { endpoint, run };
};

/** Requests for users and groups pass through scimmy-routers; the other endpoints are ours. */
const handleRequest = (parts: ScimParts, ports: PipelinePorts): RequestHandler => {
  const others = otherOperations(parts);
  const routeResource = mountScimmy();
  return async (request, response, next) => {
    const { endpoint, run } = await prepare(parts, ports, request, response);
    const other = others[endpoint.name];
    if (other) return sendResponse(response, SCIM_FORMAT.mediaType, await run(other));
    const send = (result: HttpResponse): void => {
      sendResponse(response, SCIM_FORMAT.mediaType, result).catch(next);
    };
    routeResource(request, response, next, { run, send });
  };
};

/**
 * The SCIM 2.0 interface of a tenant (RFC 7643, 7644), for a mount with `:tenantSlug` in its path; it
 * may be mounted more than once. `tenantMiddleware` runs before it. Sends its own errors.
 */
export const scimInterface = (
  parts: ScimParts,
  ports: PipelinePorts,
  tenantMiddleware: readonly RequestHandler[],
): RequestHandler => {
  const router = express.Router({ mergeParams: true });
  router.use(...tenantMiddleware, handleRequest(parts, ports), handleErrors(SCIM_FORMAT));
  return router;
};

import express, { type Request, type RequestHandler, type Response } from 'express';
import type { GroupReader } from '../../api/groups.js';
import type { UserReader } from '../../api/users.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { ScimRequest } from '../../scim/scim-request.js';
import type { ScimResponse } from '../../scim/scim-operation.js';
import { StreamedJson } from '../../scim/streamed-json.js';
import { isNotModified, readPrecondition } from '../conditional.js';
import { DRY_RUN_PARAMETER, requestsDryRun } from '../dry-run.js';
import { handleErrors } from '../middleware/handle-errors.js';
import { LONG_BODY_LIMIT } from '../middleware/read-json.js';
import { refuseMethod, requireScope } from '../request-checks.js';
import { callerOf, contextOf } from '../request-context.js';
import { SCIM_FORMAT } from '../response-format.js';
import { type PipelinePorts, runOperation } from '../run-operation.js';
import { type HttpResponse, sendResponse } from '../send-response.js';
import { type Endpoint, findEndpoint } from './endpoints.js';
import { createOperations } from './operations.js';
import {
  type QueryParameters,
  readBody,
  readParameters,
  readResourceId,
} from './read-scim-request.js';

/** Names the job that completes a large change, if it takes longer than the response waits. */
const JOB_HEADER = 'Rollgate-Job';

export interface ScimParts {
  readonly users: UserReader;
  readonly groups: GroupReader;
  readonly maxBulkOperations: number;
}

/** What each endpoint does. */
export const scimOperations = ({
  maxBulkOperations,
}: Pick<ScimParts, 'maxBulkOperations'>): ReturnType<typeof createOperations> =>
  createOperations({
    bulk: {
      supported: true,
      maxOperations: maxBulkOperations,
      maxPayloadSize: LONG_BODY_LIMIT,
    },
  });

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
 * Handles a request. The order is part of the contract (scimmy facts, 1): path and method, scope,
 * query, body. So a client without the scope learns nothing about what else is wrong, and no library
 * gets input that was not checked.
 */
const handleRequest = (parts: ScimParts, ports: PipelinePorts): RequestHandler => {
  const operationOf = scimOperations(parts);
  return async (request, response) => {
    const endpoint = admit(request, response);
    const parameters = readParameters(request);
    const dryRun = isDryRun(request, endpoint, parameters);
    const body = await readBody(request, endpoint);
    const operation = await operationOf(endpoint, request.method);
    const caller = callerOf(request);
    const ifMatch = readPrecondition(request.headers);
    const scimRequest: Omit<ScimRequest, 'submit'> = {
      caller,
      requestId: contextOf(request).requestId,
      base: `${ports.publicUrl()}/v1/${caller.tenant.slug}/scim/v2`,
      ...readResourceId(request, endpoint),
      parameters,
      body,
      ...(ifMatch !== undefined && { ifMatch }),
      users: parts.users,
      groups: parts.groups,
      isDryRun: dryRun,
    };
    const { result, status } = await runOperation(ports, request, {
      isDryRun: dryRun,
      format: SCIM_FORMAT,
      handle: async (submit) =>
        scimResponseOf(request, await operation({ ...scimRequest, submit })),
    });
    const headers = { ...result.headers, ...(status.job && { [JOB_HEADER]: status.job.id }) };
    await sendResponse(response, SCIM_FORMAT.mediaType, { ...result, headers });
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

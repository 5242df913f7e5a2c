import type { Request, Response } from 'express';
import { z } from 'zod';
import {
  type AnyRouteRequest,
  type Route,
  type RouteResponse,
  supportsIdempotencyKey,
} from '../../routes/route.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { declaredKindOf, type DeclaredRefusal, raise } from '../../domain/kernel/refusals.js';
import type { Submit } from '../../pipeline/submit.js';
import { isNotModified, readPrecondition } from '../conditional.js';
import { DRY_RUN_PARAMETER, prefersDryRun, requestsDryRun } from '../dry-run.js';
import { readIdempotency } from '../idempotency.js';
import { NATIVE_RULES } from '../json/parse-json.js';
import { BODY_LIMIT, readJsonBody } from '../json/read-json.js';
import { requireOperatorAccess, requireScope } from '../access/request-checks.js';
import { contextOf, operatorOf } from '../request-context.js';
import { NATIVE_FORMAT } from '../errors.js';
import { parseOperatorId } from '../../domain/kernel/ids.js';
import { type PipelinePorts, runOperation, type CommandStatus } from '../run-operation.js';
import { type HttpResponse, sendResponse } from '../send-response.js';
import { customerResponse } from './customer-response.js';
import { detailAt, invalidRequest, parseBody, parseWith } from './validate.js';
import { type Query, readQuery } from './read-query.js';
import { writeList } from './complete-list.js';

/** Handles a request of one route after authentication. Rejects with RefusalError. */
export type CompiledRoute = (request: Request, response: Response) => Promise<void>;

type Reader = (request: Request) => unknown;

const readNothing = (): undefined => undefined;

/** What the caller must be allowed to do. */
const accessGuard = (route: Route): ((request: Request) => void) => {
  const { scope } = route;
  if (scope === 'any key' || scope === 'public') return readNothing;
  if (scope !== 'operator') return (request) => requireScope(request, scope);
  return (request) => requireOperatorAccess(route, operatorOf(request), slugIn(request));
};

const slugIn = ({ params: { slug } }: Request): string | undefined =>
  typeof slug === 'string' ? slug : undefined;

/** The code for a missing resource: the first 404 code that the route declares. */
const missingCodeOf = ({ refusals = [] }: Route): DeclaredRefusal =>
  refusals.find((declared) => declaredKindOf(declared) === 'missing') ?? 'NOT_FOUND';

/** A malformed id gets the same 404 as an unknown one. */
const paramsReader = (route: Route): Reader => {
  const { params } = route;
  if (!params) return readNothing;
  const names = Object.keys(params.shape);
  const code = missingCodeOf(route);
  return (request) => {
    const given = Object.fromEntries(names.map((name) => [name, request.params[name]]));
    const parsed = params.safeParse(given);
    return parsed.success ? parsed.data : raise(code, 'No resource has this id.');
  };
};

const queryReader = ({ query, command }: Route): ((given: Query) => unknown) => {
  const known = new Set(Object.keys(query?.shape ?? {}));
  // A loose object: the site that sends the browser here adds parameters of its own.
  const isOpen = query?.def.catchall instanceof z.ZodUnknown;
  return (all) => {
    const { [DRY_RUN_PARAMETER]: dryRun, ...others } = all;
    const given = command === undefined ? all : others;
    const unknown = isOpen ? [] : Object.keys(given).filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw invalidRequest(
        'query',
        unknown.map((name) =>
          detailAt([name], 'is not a known parameter', 'contains an unknown parameter'),
        ),
      );
    }
    return query && parseWith(query, 'query', given);
  };
};

/** Some clients send an empty object with every request. */
const NO_FIELDS = z.strictObject({});

/**
 * An operation without a body refuses any field: a client that sends a secret to an operation that
 * generates one must not believe that its secret was used (decisions.md 2).
 */
const refuseFields: Reader = async (request) => {
  await readJsonBody(request, {
    limit: BODY_LIMIT,
    rules: NATIVE_RULES,
    required: false,
    check: (given) => parseBody(NO_FIELDS, given),
  });
};

const bodyReader = ({ method, body, isCsv, bodyLimit = BODY_LIMIT, longList }: Route): Reader => {
  // The body of a GET has no meaning (RFC 9110, 9.3.1).
  if (!body) return method === 'GET' ? readNothing : refuseFields;
  const options = {
    limit: bodyLimit,
    rules: NATIVE_RULES,
    isCsv,
    required: !body.safeParse(undefined).success,
    check: (given: JsonValue) => parseBody(body, given, longList),
  };
  // The schema of an optional body provides the value for a missing one.
  return async (request) => (await readJsonBody(request, options)) ?? body.parse(undefined);
};

/** The base URL of the request's API, for its caller. */
const baseUrlOf = (request: Request, publicUrl: string): string => {
  const { caller } = contextOf(request);
  return caller ? `${publicUrl}/v1/${caller.tenant.slug}` : `${publicUrl}/admin/v1`;
};

/** The URL of the jobs of the request's tenant in the same API. */
const jobsUrlOf = ({ api }: Route, { params }: Request, baseUrl: string): string =>
  api === 'native' ? `${baseUrl}/jobs` : `${baseUrl}/tenants/${String(params.slug)}/jobs`;

const sourceOf = (request: Request): AnyRouteRequest['source'] => {
  if (contextOf(request).operator?.session) return 'dashboard';
  return request.headers['user-agent']?.startsWith('rollgate-cli/') ? 'cli' : 'admin';
};

const isCustomer = (request: Request): boolean => contextOf(request).operator?.role === 'setup';

/**
 * A dry run of an operation without a command is refused rather than ignored, as RFC 7240 allows:
 * the client would find the operation applied. So is one with a setup link: its effects name what
 * customers do not see.
 */
const readDryRun = ({ command, method }: Route, request: Request, query: Query): boolean => {
  const { headers } = request;
  const isWanted =
    command === undefined
      ? method !== 'GET' && prefersDryRun(headers)
      : requestsDryRun(headers, query[DRY_RUN_PARAMETER]);
  if (!isWanted || (command !== undefined && !isCustomer(request))) return isWanted;
  return raise('INVALID_REQUEST', 'This operation does not support dry runs.', {
    details: [{ path: 'Prefer', message: 'dry-run is not supported by this operation' }],
  });
};

/** Where a client continues a stream that was interrupted (WHATWG HTML, 9.2.4). */
const lastEventIdOf = ({ headers }: Request): { readonly lastEventId?: string } => {
  const lastEventId = headers['last-event-id'];
  return typeof lastEventId === 'string' && lastEventId !== '' ? { lastEventId } : {};
};

/** A stream may last for hours: it ends with the key or session that opened it. */
const whileValid = async function* <Event>(
  request: Request,
  events: AsyncIterable<Event>,
): AsyncIterable<Event> {
  const { confirmCaller, confirmOperator } = contextOf(request);
  for await (const event of events) {
    try {
      await confirmCaller?.();
      await confirmOperator?.();
    } catch {
      return;
    }
    yield event;
  }
};

const REPLAYED = { 'Idempotent-Replayed': 'true' };

/** The handler's response, with the URL of what it created; 304 if the client has this version. */
const responseOf = (
  request: Request,
  response: RouteResponse,
  { baseUrl, signal }: { readonly baseUrl: string; readonly signal: () => AbortSignal },
): HttpResponse => {
  const { status, body, list, stream, file, version, location, headers, isReplay } = response;
  if (version !== undefined && isNotModified(request, version)) return { status: 304, version };
  return {
    status,
    body,
    ...(list && { chunks: writeList(list) }),
    ...(file && { chunks: file.chunks, type: file.type }),
    ...(stream && { stream: { events: whileValid(request, stream), signal: signal() } }),
    ...(version !== undefined && { version }),
    headers: {
      ...(location !== undefined && { Location: baseUrl + location }),
      ...(file && { 'Content-Disposition': `attachment; filename="${file.name}"` }),
      ...headers,
      ...(isReplay && REPLAYED),
    },
  };
};

/** Adds 202 and the job if it is not done yet (decisions.md 3), and whether this is a replay. */
const withStatus = (
  response: HttpResponse,
  { job, isReplay }: CommandStatus,
  jobsUrl: string,
): HttpResponse => {
  const headers = { ...response.headers, ...(isReplay && REPLAYED) };
  if (!job) return { ...response, headers };
  const { id, done, total } = job;
  return {
    ...response,
    status: 202,
    body: { ...(response.body as object | undefined), job: { id, done, total } },
    headers: { ...headers, Location: `${jobsUrl}/${id}` },
  };
};

/** What people call it. */
const nameIn = (body: unknown): string | undefined => {
  const { name, description } = (body ?? {}) as {
    readonly name?: unknown;
    readonly description?: unknown;
  };
  return [name, description].find((text) => typeof text === 'string' && text !== '') as
    string | undefined;
};

/**
 * Prepares a route for requests. The order is part of the contract: scope or role, path, query,
 * body, handler. So a client without the scope learns nothing about what else is wrong.
 */
export const compileRoute = (route: Route, ports: PipelinePorts): CompiledRoute => {
  const checkAccess = accessGuard(route);
  const readParams = paramsReader(route);
  const parseQuery = queryReader(route);
  const readBody = bodyReader(route);
  const isNative = route.api === 'native';
  const isIdempotent = supportsIdempotencyKey(route);
  const isStreaming = Object.values(route.responses).some(({ isStream }) => isStream);

  const read = async (request: Request) => {
    const { requestId, caller, operator, browser } = contextOf(request);
    const ifMatch = readPrecondition(request.headers);
    const params = readParams(request);
    const given = readQuery(request.url);
    const isDryRun = readDryRun(route, request, given);
    const query = parseQuery(given);
    const body = await readBody(request);
    const idempotency = isIdempotent && caller && readIdempotency(request, caller.key.id, body);
    const routeRequest: Omit<AnyRouteRequest, 'submit' | 'signal'> = {
      params,
      query,
      body,
      caller: isNative ? caller : operator,
      requestId,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(idempotency && { idempotency }),
      ...(isStreaming && lastEventIdOf(request)),
      ...(browser && { browser }),
      source: isNative ? 'rest' : sourceOf(request),
    };
    return { routeRequest, isDryRun };
  };

  /** In the operators' log. Keys of tenants are in the provisioning log only. */
  const recordOperation = async (
    { operationId: action, audit: text = '' }: Route,
    request: Request,
    about: string | undefined,
  ): Promise<void> => {
    const actor = contextOf(request).operator?.actor;
    if (isNative || !actor) return;
    const { id, slug } = request.params as Readonly<Record<string, string | undefined>>;
    const isOfOperator = route.path.startsWith('/operators/{id}');
    await ports.recordOperation({
      actor: { id: actor.id ?? null, name: actor.name },
      action,
      text,
      about: about ?? null,
      subject: (isOfOperator && parseOperatorId(id ?? '')) || null,
      tenant: slug ?? null,
      refusal: null,
    });
  };

  return async (request, response) => {
    checkAccess(request);
    const { routeRequest, isDryRun } = await read(request);
    const baseUrl = baseUrlOf(request, ports.publicUrl());
    let about: string | undefined;
    const handle = async (submit: Submit, signal: () => AbortSignal): Promise<HttpResponse> => {
      const whole = {
        ...routeRequest,
        submit,
        get signal() {
          return signal();
        },
      };
      const complete = await route.handler(whole);
      const given = isCustomer(request) ? customerResponse(route, complete) : complete;
      about = given.about ?? nameIn(given.body) ?? nameIn(routeRequest.body);
      return responseOf(request, given, { baseUrl, signal });
    };
    const operation = { isDryRun, format: NATIVE_FORMAT, handle };
    const { result, status } = await runOperation(ports, request, operation);
    if (route.audit !== undefined && !isDryRun) await recordOperation(route, request, about);
    const complete = withStatus(result, status, jobsUrlOf(route, request, baseUrl));
    await sendResponse(response, NATIVE_FORMAT.mediaType, complete);
  };
};

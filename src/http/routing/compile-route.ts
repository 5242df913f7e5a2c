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
import { isNotModified } from '../conditional.js';
import { DRY_RUN_PARAMETER, prefersDryRun, requestsDryRun } from '../dry-run.js';
import { readIdempotency } from '../idempotency.js';
import { NATIVE_RULES } from '../json/parse-json.js';
import { BODY_LIMIT, readJsonBody } from '../json/read-json.js';
import { requireOperatorAccess, requireScope } from '../access/request-checks.js';
import { contextOf, operatorOf } from '../request-context.js';
import { NATIVE_FORMAT } from '../errors.js';
import { parseOperatorId } from '../../domain/kernel/ids.js';
import {
  type CommandStatus,
  type PipelinePorts,
  readRequest,
  runOperation,
} from '../run-operation.js';
import type { HttpResponse } from '../send-response.js';
import { customerResponse } from './customer-response.js';
import { detailAt, invalidRequest, parseBody, parseWith } from './validate.js';
import type { Query } from './read-query.js';
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

const queryReader = (route: Route) => {
  const { query, command } = route;
  const known = new Set(Object.keys(query?.shape ?? {}));
  // A loose object: the site that sends the browser here adds parameters of its own.
  const isOpen = query?.def.catchall instanceof z.ZodUnknown;
  return (all: Query, request: Request) => {
    const isDryRun = readDryRun(route, request, all);
    const { [DRY_RUN_PARAMETER]: _dryRun, ...others } = all;
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
    return { query: query && parseWith(query, 'query', given), isDryRun };
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

/** In the operators' log. Keys of tenants are in the provisioning log only. */
const recordOperation = async (
  { api, path, operationId: action, audit }: Route,
  { recordOperation: record }: PipelinePorts,
  request: Request,
  about: string | undefined,
): Promise<void> => {
  const actor = contextOf(request).operator?.actor;
  if (audit === undefined || api === 'native' || !actor) return;
  const { id, slug } = request.params as Readonly<Record<string, string | undefined>>;
  const isOfOperator = path.startsWith('/operators/{id}');
  await record({
    actor: { id: actor.id ?? null, name: actor.name },
    action,
    text: audit,
    about: about ?? null,
    subject: (isOfOperator && parseOperatorId(id ?? '')) || null,
    tenant: slug ?? null,
    refusal: null,
  });
};

/** Prepares a route for requests. */
export const compileRoute = (route: Route, ports: PipelinePorts): CompiledRoute => {
  const isNative = route.api === 'native';
  const isIdempotent = supportsIdempotencyKey(route);
  const isStreaming = Object.values(route.responses).some(({ isStream }) => isStream);
  const reader = {
    checkAccess: accessGuard(route),
    readParams: paramsReader(route),
    readQuery: queryReader(route),
    readBody: bodyReader(route),
  };

  return async (request, response) => {
    const { isDryRun, ...read } = await readRequest(request, reader);
    const { caller, operator, browser } = contextOf(request);
    const idempotency =
      isIdempotent && caller && readIdempotency(request, caller.key.id, read.body);
    const baseUrl = baseUrlOf(request, ports.publicUrl());
    let about: string | undefined;
    await runOperation(ports, request, response, {
      isDryRun,
      format: NATIVE_FORMAT,
      handle: async (submit, signal) => {
        const complete = await route.handler({
          ...read,
          caller: isNative ? caller : operator,
          source: isNative ? 'rest' : sourceOf(request),
          ...(idempotency && { idempotency }),
          ...(isStreaming && lastEventIdOf(request)),
          ...(browser && { browser }),
          submit,
          get signal() {
            return signal();
          },
        });
        const given = isCustomer(request) ? customerResponse(route, complete) : complete;
        about = given.about ?? nameIn(given.body) ?? nameIn(read.body);
        return responseOf(request, given, { baseUrl, signal });
      },
      finish: async (result, status) => {
        await recordOperation(route, ports, request, about);
        return withStatus(result, status, jobsUrlOf(route, request, baseUrl));
      },
    });
  };
};

import type { Request, Response } from 'express';
import {
  type Route,
  type RouteAnswer,
  type RouteRequest,
  takesIdempotencyKey,
} from '../../api/route.js';
import { raise, type RefusalCode, RefusalError, REFUSALS } from '../../domain/refusals.js';
import type { Scope } from '../../domain/scopes.js';
import { readIfMatch } from '../conditional.js';
import { NATIVE_RULES } from '../json/parse-json.js';
import { readJsonBody } from '../middleware/read-json.js';
import { UNAUTHENTICATED } from '../middleware/refuse-credentials.js';
import { callerOf, contextOf } from '../request-context.js';
import { readIdempotency } from '../idempotency.js';
import { invalidRequest, parseWith } from './explain-issues.js';
import { readQuery } from './read-query.js';
import { sendAnswer } from './send-answer.js';

/** Answers one request of a route, whose caller is known already; rejects with a RefusalError. */
export type CompiledRoute = (request: Request, response: Response) => Promise<void>;

const MEBIBYTE = 1024 * 1024;

type Reader = (request: Request) => unknown;

const nothing = (): undefined => undefined;

const isScope = (scope: Route['scope']): scope is Scope =>
  scope !== 'any key' && scope !== 'operator';

const scopeGuard = ({ scope }: Route): ((request: Request) => void) => {
  if (!isScope(scope)) return nothing;
  const message = `This operation needs a key with the scope "${scope}".`;
  return (request) => {
    if (!callerOf(request).key.scopes.includes(scope)) raise('INSUFFICIENT_SCOPE', message);
  };
};

/** The code by which an operation says that there is no such thing: the first it declares. */
const missingCodeOf = ({ refusals = [] }: Route): RefusalCode =>
  refusals.find((code) => REFUSALS[code] === 'missing') ?? 'NOT_FOUND';

/** An id that is none cannot be anybody's: 404, like an id that nobody has. */
const paramsReader = (route: Route): Reader => {
  const { params } = route;
  if (!params) return nothing;
  const names = Object.keys(params.shape);
  const code = missingCodeOf(route);
  return (request) => {
    const given = Object.fromEntries(names.map((name) => [name, request.params[name]]));
    const parsed = params.safeParse(given);
    return parsed.success ? parsed.data : raise(code, 'Nothing has this id.');
  };
};

const queryReader = ({ query }: Route): Reader => {
  const known = new Set(Object.keys(query?.shape ?? {}));
  return (request) => {
    const given = readQuery(request.url);
    const unknown = Object.keys(given).filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw invalidRequest(
        'query',
        unknown.map((path) => ({ path, message: 'is not known here' })),
      );
    }
    return query && parseWith(query, 'query', given);
  };
};

const bodyReader = ({ body, bodyLimit = MEBIBYTE }: Route): Reader => {
  if (!body) return nothing;
  const options = { limit: bodyLimit, rules: NATIVE_RULES, required: true };
  return async (request) => parseWith(body, 'body', await readJsonBody(request, options));
};

const sourceOf = (request: Request): RouteRequest<never, never, never, never>['source'] =>
  request.headers['user-agent']?.startsWith('rollgate-cli/') ? 'cli' : 'admin';

/**
 * A tenant that was deleted while its key was still remembered: to its clients it is as if it had
 * never been (pipeline-rules.md 14).
 */
const hideDeletedTenant = (error: unknown): unknown =>
  error instanceof RefusalError && error.refusal.code === 'TENANT_NOT_FOUND'
    ? new RefusalError(UNAUTHENTICATED)
    : error;

/**
 * Makes a route ready to answer. The order is a promise: scope before anything of the request is
 * looked at, then path, query, body, handler, answer; so whoever may not do a thing learns nothing
 * of how it is done wrong.
 */
export const compileRoute = (route: Route): CompiledRoute => {
  const requireScope = scopeGuard(route);
  const [readParams, query, readBody] = [
    paramsReader(route),
    queryReader(route),
    bodyReader(route),
  ];
  const isNative = route.api === 'native';
  const isIdempotent = takesIdempotencyKey(route);

  const read = async (request: Request): Promise<object> => {
    const { requestId, caller, operator } = contextOf(request);
    const ifMatch = readIfMatch(request.headers);
    const [params, asked, body] = [readParams(request), query(request), await readBody(request)];
    const idempotency = isIdempotent && caller && readIdempotency(request, caller.key.id, body);
    return {
      params,
      query: asked,
      body,
      caller: isNative ? caller : operator,
      requestId,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(idempotency && { idempotency }),
      source: isNative ? 'rest' : sourceOf(request),
    };
  };

  // The schemas that read the request are those by which the handler's parameter is typed.
  const handle = async (request: Request): Promise<RouteAnswer> =>
    route.handler((await read(request)) as never);

  const answer = isNative
    ? (request: Request) =>
        handle(request).catch((error: unknown) => {
          throw hideDeletedTenant(error);
        })
    : handle;

  return async (request, response) => {
    requireScope(request);
    sendAnswer(request, response, await answer(request));
  };
};

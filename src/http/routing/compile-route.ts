import type { Request, Response } from 'express';
import { z } from 'zod';
import { rehearse } from '../../api/rehearsal.js';
import {
  type Route,
  type RouteAnswer,
  type RouteRequest,
  takesIdempotencyKey,
} from '../../api/route.js';
import type { JsonValue } from '../../domain/json.js';
import {
  declaredKindOf,
  type DeclaredRefusal,
  raise,
  RefusalError,
} from '../../domain/refusals.js';
import type { Scope } from '../../domain/scopes.js';
import type { PreviewCommand } from '../../pipeline/preview.js';
import type { Submit } from '../../pipeline/submit.js';
import { readPrecondition } from '../conditional.js';
import { NATIVE_RULES } from '../json/parse-json.js';
import { readJsonBody } from '../middleware/read-json.js';
import { UNAUTHENTICATED } from '../middleware/refuse-credentials.js';
import { callerOf, contextOf } from '../request-context.js';
import { readIdempotency } from '../idempotency.js';
import {
  type Aftermath,
  type JobWaiting,
  submitAndWait,
  untilOneLeaves,
} from '../wait-for-jobs.js';
import { answerDryRun, asksDryRun, DRY_RUN_PARAMETER } from './dry-run.js';
import { invalidRequest, parseBody, parseWith } from './explain-issues.js';
import { type Query, readQuery } from './read-query.js';
import { sendAnswer } from './send-answer.js';

/** Answers one request of a route, whose caller is known already; rejects with a RefusalError. */
export type CompiledRoute = (request: Request, response: Response) => Promise<void>;

/** The two ways into the pipeline: to do a thing, and to see what it would come to. */
export interface Doors {
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  readonly waiting: JobWaiting;
  /** The base URL by which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
}

const MEBIBYTE = 1024 * 1024;

type Reader = (request: Request) => unknown;

const nothing = (): undefined => undefined;

const isScope = (scope: Route['scope']): scope is Scope =>
  scope !== 'any key' && scope !== 'operator';

const scopeGuard = ({ scope }: Route): ((request: Request) => void) => {
  if (!isScope(scope)) return nothing;
  const message = `This operation requires the scope "${scope}".`;
  return (request) => {
    if (!callerOf(request).key.scopes.includes(scope))
      raise('INSUFFICIENT_SCOPE', message, { scope });
  };
};

/** The code by which an operation says that there is no such thing: the first it declares. */
const missingCodeOf = ({ refusals = [] }: Route): DeclaredRefusal =>
  refusals.find((declared) => declaredKindOf(declared) === 'missing') ?? 'NOT_FOUND';

/** An id that is none cannot be anybody's: 404, like an id that nobody has. */
const paramsReader = (route: Route): Reader => {
  const { params } = route;
  if (!params) return nothing;
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
  return (all) => {
    const { [DRY_RUN_PARAMETER]: dryRun, ...others } = all;
    const given = command === undefined ? all : others;
    const unknown = Object.keys(given).filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw invalidRequest(
        'query',
        unknown.map((path) => ({ path, message: 'is not a known parameter' })),
      );
    }
    return query && parseWith(query, 'query', given);
  };
};

/** Some clients send an empty object with everything. */
const NO_FIELDS = z.strictObject({});

/**
 * Where there is nothing to say, whatever is said is not known (decisions.md 2): who sends a secret
 * to be rotated to must not believe that it was taken.
 */
const refuseFields: Reader = async (request) => {
  await readJsonBody(request, {
    limit: MEBIBYTE,
    rules: NATIVE_RULES,
    required: false,
    check: (given) => parseBody(NO_FIELDS, given),
  });
};

const bodyReader = ({ method, body, bodyLimit = MEBIBYTE, longList }: Route): Reader => {
  // The body of a GET means nothing (RFC 9110, 9.3.1).
  if (!body) return method === 'GET' ? nothing : refuseFields;
  const required = !body.safeParse(undefined).success;
  const options = {
    limit: bodyLimit,
    rules: NATIVE_RULES,
    required,
    check: (given: JsonValue) => parseBody(body, given, longList),
  };
  // The schema of a body that may be absent says what its absence means.
  return async (request) => (await readJsonBody(request, options)) ?? body.parse(undefined);
};

/** Where what was made is found, as an address that holds behind any proxy; of a job, where it is. */
const locate =
  ({ publicUrl }: Doors) =>
  (request: Request, answer: RouteAnswer): RouteAnswer => {
    const { location, headers } = answer;
    if (location === undefined) return answer;
    const { caller } = contextOf(request);
    const base = caller ? `/v1/${caller.tenant.slug}` : '/admin/v1';
    return { ...answer, headers: { Location: publicUrl() + base + location, ...headers } };
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

/** Where the jobs of the request's tenant are read, through the same API. */
const jobsBaseOf = ({ api }: Route, { params }: Request, publicUrl: string): string =>
  api === 'native'
    ? `${publicUrl}/v1/${String(params.tenantSlug)}/jobs`
    : `${publicUrl}/admin/v1/tenants/${String(params.slug)}/jobs`;

/** 202 with the job where one is not done yet (decisions.md 3), and whether it was done before. */
const afterwards = (
  answer: RouteAnswer,
  { job, isReplay = answer.isReplay }: Aftermath,
  jobsBase: string,
): RouteAnswer => {
  const headers = {
    ...answer.headers,
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
    ...(job && { Location: `${jobsBase}/${job.id}` }),
  };
  if (!job) return { ...answer, headers };
  const { id, done, total } = job;
  const body = { ...(answer.body as object | undefined), job: { id, done, total } };
  return { ...answer, headers, status: 202, body };
};

/** The signal of a request, made when it is asked for: most routes never do. */
const lazySignal = (response: Response, { leaving }: JobWaiting): (() => AbortSignal) => {
  let signal: AbortSignal | undefined;
  return () => {
    if (signal) return signal;
    const wait = untilOneLeaves(response, leaving);
    response.once('close', wait.end);
    return (signal = wait.signal);
  };
};

const lastEventIdOf = ({ headers }: Request): { readonly lastEventId?: string } => {
  const given = headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? { lastEventId: given } : {};
};

/**
 * Makes a route ready to answer. The order is a promise: scope before anything of the request is
 * looked at, then path, query, body, handler, answer; so whoever may not do a thing learns nothing
 * of how it is done wrong.
 */
export const compileRoute = (route: Route, doors: Doors): CompiledRoute => {
  const { submit, preview, waiting } = doors;
  const withLocation = locate(doors);
  const requireScope = scopeGuard(route);
  const [readParams, parseQuery, readBody] = [
    paramsReader(route),
    queryReader(route),
    bodyReader(route),
  ];
  const isNative = route.api === 'native';
  const isIdempotent = takesIdempotencyKey(route);
  const isStreaming = Object.values(route.answers).some(({ isStream }) => isStream);

  const read = async (request: Request) => {
    const { requestId, caller, operator } = contextOf(request);
    const ifMatch = readPrecondition(request.headers);
    const params = readParams(request);
    const given = readQuery(request.url);
    const isDryRun = asksDryRun(route, request.headers, given);
    const [query, body] = [parseQuery(given), await readBody(request)];
    const idempotency = isIdempotent && caller && readIdempotency(request, caller.key.id, body);
    const asked = {
      params,
      query,
      body,
      caller: isNative ? caller : operator,
      requestId,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(idempotency && { idempotency }),
      ...(isStreaming && lastEventIdOf(request)),
      source: isNative ? 'rest' : sourceOf(request),
    };
    return { asked, isDryRun };
  };

  // The schemas that read the request are those by which the handler's parameter is typed.
  const run = async (asked: object): Promise<RouteAnswer> => route.handler(asked as never);
  const handle = isNative
    ? (asked: object) =>
        run(asked).catch((error: unknown) => {
          throw hideDeletedTenant(error);
        })
    : run;

  const answer = async (
    request: Request,
    response: Response,
    signal: () => AbortSignal,
  ): Promise<RouteAnswer> => {
    const { asked, isDryRun } = await read(request);
    if (!isDryRun) {
      const bytes = contextOf(request).bodyBytes ?? 0;
      const measured: Submit = (submission) => submit({ bytes, ...submission });
      const whole = submitAndWait(measured, waiting, response);
      const answered = await handle({
        ...asked,
        submit: whole.submit,
        get signal() {
          return signal();
        },
      });
      return afterwards(answered, whole.aftermath(), jobsBaseOf(route, request, doors.publicUrl()));
    }
    const rehearsal = rehearse(preview);
    const { requestId } = asked;
    const { headers } = request;
    return answerDryRun(() => handle({ ...asked, submit: rehearsal.submit, signal: signal() }), {
      rehearsal,
      requestId,
      headers,
    });
  };

  return async (request, response) => {
    requireScope(request);
    const signal = lazySignal(response, waiting);
    const answered = withLocation(request, await answer(request, response, signal));
    await sendAnswer(request, response, { answer: answered, signal });
  };
};

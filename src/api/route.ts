import type { z } from 'zod';
import type { CommandType } from '../domain/commands.js';
import type { IfMatch } from '../domain/precondition.js';
import type { RefusalCode } from '../domain/refusals.js';
import type { Idempotency } from '../domain/remembered-answer.js';
import type { Scope } from '../domain/scopes.js';
import type { Submit } from '../pipeline/submit.js';
import { acceptedAnswer } from './accepted-answer.js';
import type { AnswerShape } from './answer-shape.js';
import type { OperatorCaller, ReadingCaller, TenantCaller } from './caller.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request that has passed every check of its route. */
export interface RouteRequest<Caller, Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly requestId: string;
  /** From If-Match; absent: no precondition. */
  readonly ifMatch?: IfMatch;
  /**
   * From Idempotency-Key, on operations that take one: hand it to `runCommand`, or, of a plugin's
   * action that is no command, to `host.actions`.
   */
  readonly idempotency?: Idempotency;
  /**
   * The way in for this request's one command: `runCommand` takes it. In a dry run it only previews,
   * so that a handler need not know of dry runs, and cannot write in one.
   */
  readonly submit: Submit;
  /** How the command came: from `User-Agent: rollgate-cli/…` it is 'cli' on the operators' API. */
  readonly source: 'rest' | 'admin' | 'cli' | 'dashboard';
}

/**
 * A list that may be too long to hold: it is read and written piece by piece, as fast as the client
 * takes it. Other fields of the envelope follow it, for only then it is known how many there were.
 */
export interface StreamedList {
  /** The name of the list in the envelope. */
  readonly name: string;
  readonly items: AsyncIterable<unknown>;
  readonly rest: (count: number) => Readonly<Record<string, unknown>>;
}

export interface RouteAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** In place of a body. */
  readonly list?: StreamedList;
  /** The version of the single resource in the body: the edge makes ETag and 304 of it. */
  readonly version?: number;
  /** Where what was made is found, below the base of its API (`/users/…`): sent as `Location`. */
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The first answer to an Idempotency-Key, given again. */
  readonly isReplay?: boolean;
}

/**
 * One operation of the native or the operators' API: everything about it in one value. The edge
 * validates, checks scopes, limits and answers by it; OpenAPI, the docs and the tests' matrices
 * are made of it; so no route can forget any of them.
 */
export interface Route {
  /** Native paths are relative to `/v1/{tenantSlug}`, operators' to `/admin/v1`. */
  readonly api: 'native' | 'operators';
  readonly method: Method;
  /** `/users/{id}` */
  readonly path: string;
  /** The scope a key must hold; 'any key' where any valid one will do; operators' routes: 'operator'. */
  readonly scope: Scope | 'any key' | 'operator';
  /** Operators read the same of any tenant: `/admin/v1/tenants/{slug}` before the path. */
  readonly isForOperatorsToo?: true;
  /** Unique; names the operation in OpenAPI and generated clients: `listUsers`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Strict: a field that it does not know is refused with 400 (decisions.md 2). */
  readonly body?: z.ZodType;
  /** Largest body in bytes; 1 MiB where absent. */
  readonly bodyLimit?: number;
  /**
   * The list in the body that may be as long as the body: its entries are checked each by itself,
   * some at a time, so that nobody else waits for all of them.
   */
  readonly longList?: string;
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /**
   * What the handler submits: exactly one command, by the request's own `submit`. Such an operation
   * can be tried out by a dry run; absent: it submits none, and a dry run of it is refused.
   */
  readonly command?: CommandType;
  /** Refusal codes that this operation may answer with, beyond those every one may. */
  readonly refusals?: readonly RefusalCode[];
  // The three parameters are checked where the route is declared; in the table they are unknown.
  readonly handler: (request: RouteRequest<never, never, never, never>) => Promise<RouteAnswer>;
}

/** Whether an Idempotency-Key is honoured (decisions.md 3): on native POSTs. */
export const takesIdempotencyKey = ({ api, method }: Route): boolean =>
  api === 'native' && method === 'POST';

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Declared<Api extends Route['api'], Params, Query, Body> = Omit<
  Route,
  'api' | 'handler' | 'params' | 'query' | 'body'
> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly handler: (
    request: RouteRequest<
      Api extends 'native' ? TenantCaller : OperatorCaller,
      Output<Params>,
      Output<Query>,
      Output<Body>
    >,
  ) => Promise<RouteAnswer>;
};

/** What may have to be completed by a job may be answered with 202: no route can forget to say so. */
const withAccepted = (route: Route): Route => {
  const accepted = acceptedAnswer(route.command, route.answers);
  return accepted ? { ...route, answers: { ...route.answers, 202: accepted } } : route;
};

/** Declares a route of the tenant API; the handler's request is typed by the schemas. */
export const nativeRoute = <
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  route: Declared<'native', Params, Query, Body>,
): Route => withAccepted({ ...route, api: 'native' } as unknown as Route);

type DeclaredRead<Params, Query> = Omit<
  Declared<'native', Params, Query, undefined>,
  'method' | 'handler' | 'body'
> & {
  readonly handler: (
    request: RouteRequest<ReadingCaller, Output<Params>, Output<Query>, undefined>,
  ) => Promise<RouteAnswer>;
};

/**
 * Declares a read of the tenant API that operators have too, under the tenant's address: the same
 * handler, which sees whose data it is and whether to mask it, and nothing of who asks.
 */
export const readRoute = <
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
>(
  route: DeclaredRead<Params, Query>,
): Route =>
  ({ ...route, api: 'native', method: 'GET', isForOperatorsToo: true }) as unknown as Route;

/** Declares a route of the operators' API. */
export const operatorRoute = <
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  route: Omit<Declared<'operators', Params, Query, Body>, 'scope'>,
): Route => withAccepted({ ...route, api: 'operators', scope: 'operator' } as unknown as Route);

import { z } from 'zod';
import type { CommandType, CommandOf, Results } from '../domain/commands.js';
import type { IfMatch, DeclaredRefusal } from '../domain/kernel/refusals.js';
import type { Idempotency } from '../domain/kernel/stored-response.js';
import type { OperatorRole } from '../domain/operator/operator.js';
import type { Scope } from '../domain/scopes.js';
import { type Submit, resultOf } from '../pipeline/submit.js';
import { acceptedResponse, type ResponseShape } from './responses.js';
import type {
  Browser,
  OperatorCaller,
  SharedCaller,
  TenantCaller,
  TenantOperator,
} from './caller.js';
import type { Actor, Source } from '../domain/kernel/actor.js';
import type { TenantId } from '../domain/kernel/ids.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A validated and authorised request. */
export interface RouteRequest<Caller, Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly requestId: string;
  /** From If-Match or If-None-Match; absent: no precondition. */
  readonly ifMatch?: IfMatch;
  /**
   * From Idempotency-Key, on operations that support it. `runCommand` uses it; a plugin's action that
   * is not a command passes it to `host.actions`.
   */
  readonly idempotency?: Idempotency;
  /**
   * Submits the one command of this request; `runCommand` uses it. In a dry run it only previews, so
   * handlers need no code for dry runs and cannot write in one.
   */
  readonly submit: Submit;
  /** Aborts when the client disconnects or the gateway stops; for long responses. */
  readonly signal: AbortSignal;
  /** From `Last-Event-ID`: where the client continues a stream. */
  readonly lastEventId?: string;
  /** The browser that sent it, on the operators' API; for routes that sign in and out. */
  readonly browser?: Browser;
  /** The interface used; `User-Agent: rollgate-cli/…` makes it 'cli' on the operators' API. */
  readonly source: 'rest' | 'admin' | 'cli' | 'dashboard';
}

/** A request of any route. */
export type AnyRouteRequest = RouteRequest<unknown, unknown, unknown, unknown>;

/**
 * A list that may be too long for memory: it is read and written in batches, as fast as the client
 * reads. The other fields of the envelope come after it, when the number of items is known.
 */
export interface StreamedList {
  /** The name of the list in the envelope. */
  readonly name: string;
  readonly items: AsyncIterable<unknown>;
  readonly rest: (count: number) => Readonly<Record<string, unknown>>;
}

/** One event of a stream (WHATWG HTML, server-sent events). */
export interface ServerSentEvent {
  /** Sent back in `Last-Event-ID` by a client that reconnects. */
  readonly id?: string;
  /** Absent: `message`. */
  readonly event?: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

/** The response of a route. */
export interface RouteResponse {
  readonly status: number;
  readonly body?: unknown;
  /** Instead of a body. */
  readonly list?: StreamedList;
  /**
   * Instead of a body: server-sent events, until the iterable ends, the client disconnects or the
   * gateway stops. End it when the request's signal aborts.
   */
  readonly stream?: AsyncIterable<ServerSentEvent>;
  /** Instead of a body: a text of any length, written as fast as the client reads, as a download. */
  readonly file?: {
    /** Media type: `text/csv; charset=utf-8`. */
    readonly type: string;
    /** Suggested to browsers; ASCII without quotes. */
    readonly name: string;
    readonly chunks: AsyncIterable<string>;
  };
  /** The version of the resource in the body, for ETag and 304. */
  readonly version?: number;
  /**
   * Path of the created resource (`/users/…`), sent as `Location`: within the tenant, or within the
   * operators' API if the route is of no tenant.
   */
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The name of what it is about, for the operators' log. Default: `name` or `description` of the body. */
  readonly about?: string;
  /** The stored response to an Idempotency-Key. */
  readonly isReplay?: boolean;
}

/**
 * An operation of the native or the operators' API. Validation, scope checks, limits, OpenAPI, the
 * reference page and the test matrices are all derived from it.
 */
export interface Route {
  /** Native paths are relative to `/v1/{tenantSlug}`, operators' to `/admin/v1`. */
  readonly api: 'native' | 'operators';
  readonly method: Method;
  /** `/users/{id}` */
  readonly path: string;
  /**
   * The scope that a key needs; 'any key' for any valid key; 'operator' for operators' routes;
   * 'public' for those that need no credentials.
   */
  readonly scope: Scope | 'any key' | 'operator' | 'public';
  /** The least role of operators. Default: `auditor` for GET, `admin` for the rest. */
  readonly role?: 'owner' | 'admin' | 'operator' | 'auditor';
  /**
   * What an operator has done by it, after their name: `created the API key`. The operators' log has
   * an entry of each use, with the name of what it is about.
   */
  readonly audit?: string;
  /** Operators must have proved within the last 15 minutes who they are. */
  readonly stepUp?: true;
  /**
   * Operators bound to tenants may use it although its path names none: it shows only what they may
   * see.
   */
  readonly isForBoundOperators?: true;
  /** Administrators of customers may use it with a setup link, for their tenant. */
  readonly forCustomers?: CustomerVersion;
  /**
   * Operators have the same route for any tenant, below `/admin/v1/tenants/{slug}`: with these
   * differences. Absent: they do not have it.
   */
  readonly operators?: OperatorVersion;
  /** Its path begins with a tenant's slug, and its handler gets that tenant. */
  readonly isOfTenant?: true;
  /** Unique name of the operation in OpenAPI and generated clients: `listUsers`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Strict: unknown fields are refused with 400 (decisions.md 2). */
  readonly body?: z.ZodType;
  /** The body is a CSV file, and its schema is a string. */
  readonly isCsv?: true;
  /** Maximum size of the body in bytes. Default: 1 MiB. */
  readonly bodyLimit?: number;
  /**
   * The list in the body that may have many entries. They are validated in chunks, so that other
   * requests do not wait for all of them.
   */
  readonly longList?: string;
  readonly responses: Readonly<Record<number, ResponseShape>>;
  /**
   * The one command that the handler submits, with the request's `submit`. Makes dry runs possible;
   * absent: the operation submits none, and a dry run is refused.
   */
  readonly command?: CommandType;
  /** Error codes of this operation, beyond those that every operation has. */
  readonly refusals?: readonly DeclaredRefusal[];
  // A method, so that a handler may ask for the caller and the values that its declaration ensures.
  handler(request: AnyRouteRequest): Promise<RouteResponse>;
}

/** What differs for sessions of setup links. */
interface CustomerVersion {
  /**
   * `total rooms(id name)`: the fields of the response, in brackets those of an object or of each
   * object in a list. There are no others, so that a new one is hidden until it is listed here.
   */
  readonly fields: string;
  /** Only of links that allow integrations. */
  readonly needs?: 'integrations';
}

/** What differs for operators; `operationId` is `listTenantUsers` for `listUsers` unless it is here. */
type OperatorVersion = Partial<
  Pick<Route, 'path' | 'query' | 'operationId' | 'tag' | 'description'>
>;

/** Native POSTs support Idempotency-Key (decisions.md 3). */
export const supportsIdempotencyKey = ({ api, method }: Route): boolean =>
  api === 'native' && method === 'POST';

/** The least role of operators that may use the route. */
export const requiredRoleOf = ({ role, method }: Pick<Route, 'role' | 'method'>): OperatorRole =>
  role ?? (method === 'GET' ? 'auditor' : 'admin');

/** What a schema makes of a part of the request; undefined without a schema. */
type Output<Schema extends z.ZodType> = [Schema] extends [never] ? undefined : z.output<Schema>;

/** A declaration: its schemas determine the type of the handler's request. */
type Declared<
  Caller,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> = Omit<Route, 'api' | 'scope' | 'handler' | 'params' | 'query' | 'body'> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly handler: (
    request: RouteRequest<Caller, Output<Params>, Output<Query>, Output<Body>>,
  ) => Promise<RouteResponse>;
};

/** Routes of the tenant API say which keys may call them. */
type Scoped = Pick<Route, 'scope'>;

/** Adds the 202 response to routes whose command may start a job. */
const withAccepted = (route: Route): Route => {
  const accepted = acceptedResponse(route.command, route.responses);
  return accepted ? { ...route, responses: { ...route.responses, 202: accepted } } : route;
};

/** A function that declares routes for one kind of caller. */
type Declare<Caller, More = unknown> = <
  Params extends z.ZodObject = never,
  Query extends z.ZodObject = never,
  Body extends z.ZodType = never,
>(
  route: Declared<Caller, Params, Query, Body> & More,
) => Route;

/** Declares a route of the tenant API. */
export const nativeRoute: Declare<TenantCaller, Scoped> = (route) =>
  withAccepted({ ...route, api: 'native' });

/**
 * Declares a read of the tenant API that operators have too. The handler is the same: it gets the
 * tenant, the actor and whether to mask values.
 */
export const readRoute = <Params extends z.ZodObject = never, Query extends z.ZodObject = never>(
  route: Omit<Declared<SharedCaller, Params, Query, never>, 'method' | 'body'> & Scoped,
): Route => ({ operators: {}, ...route, api: 'native', method: 'GET' });

/**
 * Declares a write of the tenant API that operators have too, for the given role (default: admin). The
 * handler is the same: it gets the tenant, the actor and whether to mask values.
 */
export const writeRoute: Declare<SharedCaller, Scoped> = (route) =>
  withAccepted({ operators: {}, ...route, api: 'native' });

/** Declares a route of the operators' API. */
export const operatorRoute: Declare<OperatorCaller> = (route) =>
  withAccepted({ ...route, api: 'operators', scope: 'operator' });

/** `{slug}` in the paths of a tenant. */
const SLUG_PARAM = { slug: z.string().describe("The tenant's slug.") };

/**
 * Declares a route of the operators' API for one tenant. `path` is relative to `/tenants/{slug}`, and
 * `caller.tenant` is the tenant; an unknown slug is refused with TENANT_NOT_FOUND.
 */
export const tenantRoute: Declare<TenantOperator> = (route) =>
  withAccepted({
    ...route,
    api: 'operators',
    scope: 'operator',
    isOfTenant: true,
    path: `/tenants/{slug}${route.path}`,
    params: z.object({ ...SLUG_PARAM, ...route.params?.shape }),
    refusals: [...(route.refusals ?? []), 'TENANT_NOT_FOUND'],
  });

/** Declares a route of the operators' API that needs no credentials. */
export const publicRoute: Declare<OperatorCaller> = (route) => ({
  ...route,
  api: 'operators',
  scope: 'public',
});

/** The parts of a request that a command needs. */
interface CommandRequest {
  readonly caller: { readonly actor: Actor };
  readonly source: Source;
  readonly requestId: string;
  readonly idempotency?: Idempotency;
  readonly submit: Submit;
}

/** Submits a command for a request. Throws a RefusalError if it is refused. */
export const runCommand = async <Type extends CommandType>(
  { caller, source, requestId, idempotency, submit }: CommandRequest,
  tenantId: TenantId,
  command: CommandOf<Type> & { readonly type: Type },
): Promise<Results[Type]> =>
  resultOf<Type>(
    await submit<Type>({
      tenantId,
      command,
      actor: caller.actor,
      source,
      requestId,
      ...(idempotency && { idempotency }),
    }),
  );

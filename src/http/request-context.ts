import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Browser, OperatorCaller, TenantCaller } from '../routes/caller.js';
import type { Log } from '../ports/telemetry.js';
import { isRequestId } from '../domain/kernel/ids.js';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { ScimOperation } from '../scim/scim-request.js';
import { type BodyIntake, incompleteBody } from './json/body-intake.js';
import type { LongResponses } from './long-responses.js';

/** What is known about a request; each step of its processing adds its part. */
export interface RequestContext {
  readonly requestId: string;
  /** Carries the request id on every line. */
  readonly log: Log;
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number;
  readonly response: ServerResponse;
  /** Set by `closeSignalOf`. */
  closeSignal?: AbortSignal;
  /** Reads its body. */
  readonly intake: BodyIntake;
  /** Counts its response, if it is long. */
  readonly longResponses: LongResponses;
  /** Set by `authenticateTenantKey`. */
  caller?: TenantCaller;
  /** Set with `caller`. Rejects with UNAUTHENTICATED if the key was deleted in the meantime. */
  confirmCaller?: () => Promise<void>;
  /** Set by `authenticateOperator`. */
  operator?: OperatorCaller;
  /** Set with `operator` of a session. Rejects with UNAUTHENTICATED if it has ended in the meantime. */
  confirmOperator?: () => Promise<void>;
  /** Set on the operators' API. */
  browser?: Browser;
  /** Set if the request was refused. */
  refusal?: Refusal;
  /** Set if a part of the request was refused: the first one, of a Bulk. */
  partRefusal?: Refusal;
  /** Called with the body, once it was read; it may change afterwards. */
  onBody?: (body: Uint8Array) => void;
  /** Length of the body, once it was read. */
  bodyBytes?: number;
  /** Set by the SCIM interface: runs the operation that scimmy-routers finds, and sends its response. */
  runScim?: (operation: ScimOperation) => Promise<void>;
  /** W3C `traceparent` of the request's span, if requests are traced. */
  traceparent?: string;
  /** The path pattern of the route, for logs and metrics: without ids and slugs. */
  route?: string;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && isRequestId(given) ? given : randomUUID();
};

/**
 * The first step of every request: sets its id, which is returned in `X-Request-Id` (decisions.md
 * 2), its log and its context.
 */
export const attachContext =
  (log: Log, intake: BodyIntake, longResponses: LongResponses): RequestHandler =>
  (request, response, next) => {
    const requestId = requestIdOf(request);
    contexts.set(request, {
      requestId,
      log: log.child({ request_id: requestId }),
      startedAt: performance.now(),
      response,
      intake,
      longResponses,
    });
    response.setHeader('X-Request-Id', requestId);
    next();
  };

/** The context of a request. Throws if `attachContext` did not run. */
export const contextOf = (request: IncomingMessage): RequestContext => {
  const context = contexts.get(request);
  if (!context) throw new Error('attachContext must run first');
  return context;
};

/** Created once: capturing a stack for each response would take 9 µs. */
const AFTER_RESPONSE = incompleteBody();

/**
 * Aborted when the response is sent or the client disconnects; the reason is the refusal of a body
 * that is being read then.
 */
export const closeSignalOf = (request: IncomingMessage): AbortSignal => {
  const context = contextOf(request);
  if (context.closeSignal) return context.closeSignal;
  // One listener for all who wait: Node warns about more than ten on a response, and the stream that
  // sends a long body adds six.
  const controller = new AbortController();
  const abort = (): void =>
    controller.abort(context.response.writableFinished ? AFTER_RESPONSE : incompleteBody());
  if (context.response.destroyed) abort();
  else context.response.once('close', abort);
  return (context.closeSignal = controller.signal);
};

/** The caller. Throws if `authenticateTenantKey` did not run. */
export const callerOf = (request: IncomingMessage): TenantCaller => {
  const { caller } = contextOf(request);
  if (!caller) throw new Error('authenticateTenantKey must run first');
  return caller;
};

/** The operator. Throws if `authenticateOperator` did not run, or the route is public. */
export const operatorOf = (request: IncomingMessage): OperatorCaller => {
  const { operator } = contextOf(request);
  if (!operator) throw new Error('authenticateOperator must run first');
  return operator;
};

/**
 * The API key of a request, the session of an operator, the setup link of a session, or the admin
 * token; undefined: public.
 */
export const clientOf = (request: IncomingMessage): string | undefined => {
  const { caller, operator } = contextOf(request);
  const { session } = operator ?? {};
  if (session?.subject.kind === 'setup') return session.subject.linkHash;
  return caller?.key.id ?? session?.id ?? operator?.actor.name;
};

/**
 * The tenant of a request, or else its operator: its time on the event loop counts for them. All
 * sessions of an operator, and all of the setup links of a tenant, are one.
 */
export const ownerOf = (request: IncomingMessage): string | undefined => {
  const { caller, operator } = contextOf(request);
  if (caller) return caller.tenant.id;
  return operator?.actor.id ?? operator?.tenants?.[0] ?? operator?.actor.name;
};

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { OperatorCaller, TenantCaller } from '../api/caller.js';
import type { Log } from '../api/log.js';
import type { Refusal } from '../domain/refusals.js';
import { type BodyIntake, createBodyIntake } from './json/body-intake.js';

/** What is known of a request while it is being answered; later steps fill in what they learn. */
export interface RequestContext {
  readonly requestId: string;
  /** Carries the request id on every line. */
  readonly log: Log;
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number;
  readonly response: ServerResponse;
  /** Through which its body is read. */
  readonly intake: BodyIntake;
  /** Set by `authenticateTenantKey`. */
  caller?: TenantCaller;
  /** Set with `caller`: rejects with UNAUTHENTICATED where the key is none any more. */
  confirmCaller?: () => Promise<void>;
  /** Set by `authenticateOperator`. */
  operator?: OperatorCaller;
  /** What it was refused with, if it was. */
  refusal?: Refusal;
  /** How long the body was, once it has been read. */
  bodyBytes?: number;
  /** The pattern of the route that took the request, for log and metrics: no ids, no slugs. */
  route?: string;
}

const SANE_ID = /^[A-Za-z0-9._-]{8,64}$/;

const contexts = new WeakMap<IncomingMessage, RequestContext>();

const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
};

/**
 * The first step of every request: gives it an id, its own log and a place for what is learnt of
 * it, and tells the id in `X-Request-Id` (decisions.md 2).
 */
export const enterContext =
  (log: Log, intake: BodyIntake = createBodyIntake()): RequestHandler =>
  (request, response, next) => {
    const requestId = requestIdOf(request);
    contexts.set(request, {
      requestId,
      log: log.child({ request_id: requestId }),
      startedAt: performance.now(),
      response,
      intake,
    });
    response.setHeader('X-Request-Id', requestId);
    next();
  };

/** The context of a request that went through `enterContext`; throws for any other. */
export const contextOf = (request: IncomingMessage): RequestContext => {
  const context = contexts.get(request);
  if (!context) throw new Error('enterContext did not run before this step: put it first');
  return context;
};

/** The caller that `authenticateTenantKey` found; throws where that step did not run. */
export const callerOf = (request: IncomingMessage): TenantCaller => {
  const { caller } = contextOf(request);
  if (!caller) throw new Error('authenticateTenantKey did not run before this step');
  return caller;
};

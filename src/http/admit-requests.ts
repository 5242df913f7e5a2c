import type { RequestHandler, Response } from 'express';
import { raise } from '../domain/kernel/refusals.js';
import type { ServiceState } from './service-state.js';
import helmet from 'helmet';
import type { IncomingMessage } from 'node:http';
import type { RateLimiter, RateLimitResult } from '../ports/system.js';
import { clientOf } from './request-context.js';

/**
 * Refuses requests with 503 while the gateway starts or stops (decisions.md 2). From draining on,
 * `Connection: close` makes clients reconnect, which takes them to another instance.
 */
export const refuseUnlessServing =
  (state: ServiceState): RequestHandler =>
  (_request, response, next) => {
    const phase = state.phase();
    if (phase === 'draining' || phase === 'stopping') response.setHeader('Connection', 'close');
    if (phase === 'starting' || phase === 'stopping') {
      const verb = phase === 'starting' ? 'starting' : 'shutting down';
      raise('UNAVAILABLE', `This gateway is ${verb}. Nothing was changed; retry shortly.`, {
        retryAfter: 1,
      });
    }
    next();
  };

const headers = helmet({
  // Responses are data: nothing in them may run, load or be framed.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // Other services under the operator's domain are not affected.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  // For old browsers, plugins and pages; without effect for API clients.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Sets the security headers of every response. Nothing is cached unless a route allows it. */
export const setApiHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  headers(request, response, next);
};

const countOf = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === name) count += 1;
  return count;
};

const refuseHeader = (name: string, message: string): never =>
  raise('INVALID_REQUEST', `The header ${name} ${message}.`, {
    details: [{ path: name, message }],
  });

/** Node uses the first of several; a proxy in front may have used another one. */
const requireOnce = (request: IncomingMessage, name: string): void => {
  if (countOf(request, name.toLowerCase()) > 1) refuseHeader(name, 'must be sent only once');
};

const isHttp11 = ({ httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && httpVersionMinor === 1;

const CONTINUE = /^\s*100-continue\s*$/i;

/**
 * Refuses headers that two programs may interpret differently: duplicates of Host or Authorization,
 * a missing Host (RFC 9112, 3.2), an unknown expectation (RFC 9110, 10.1.1).
 */
export const checkHeaders: RequestHandler = (request, response, next) => {
  requireOnce(request, 'Authorization');
  requireOnce(request, 'Host');
  if (isHttp11(request)) {
    const { host, expect } = request.headers;
    if (host === undefined) {
      response.setHeader('Connection', 'close');
      refuseHeader('Host', 'is required in HTTP/1.1');
    }
    if (expect !== undefined && !CONTINUE.test(expect)) raise('EXPECTATION_FAILED');
  }
  next();
};

const setRateHeaders = (
  response: Response,
  { limit, remaining, resetSeconds }: RateLimitResult,
): void => {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
};

/**
 * Counts the request against the limit of its key, session or admin token and sets `RateLimit-*`, also
 * on refusals (decisions.md 3). Requests without credentials are not counted.
 */
export const limitRate =
  (limiter: RateLimiter, clientName: string): RequestHandler =>
  async (request, response, next) => {
    const client = clientOf(request);
    if (client === undefined) {
      next();
      return;
    }
    const taken = limiter.take(client);
    const result = taken instanceof Promise ? await taken : taken;
    setRateHeaders(response, result);
    if (!result.allowed) {
      raise(
        'RATE_LIMITED',
        `Rate limit exceeded: ${result.limit} requests per minute for this ${clientName}.`,
        { retryAfter: result.resetSeconds },
      );
    }
    next();
  };

import type { RequestHandler } from 'express';
import type { Tracing } from '../../pipeline/trace-commands.js';
import { contextOf } from '../request-context.js';

/** Requested every few seconds by probes. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

const SERVER_ERROR = 500;

/**
 * A span for each request but probes, below the client's `traceparent`. Its attributes follow
 * OpenTelemetry's conventions for HTTP; it has neither the URL nor the body.
 */
export const traceRequests =
  (tracing: Tracing): RequestHandler =>
  (request, response, next) => {
    if (PROBES.has(request.path)) {
      next();
      return;
    }
    const context = contextOf(request);
    const { traceparent } = request.headers;
    const span = tracing.start(request.method, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      at: context.startedAt,
    });
    context.traceparent = span.traceparent;
    response.once('close', () => {
      const { route = 'unmatched', caller, refusal, requestId } = context;
      span.rename(`${request.method} ${route}`);
      span.end({
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
          'rollgate.request_id': requestId,
          ...(caller && { 'rollgate.tenant': caller.tenant.slug }),
          ...(refusal && { 'rollgate.code': refusal.code }),
        },
        failure: response.statusCode >= SERVER_ERROR ? String(response.statusCode) : undefined,
      });
    });
    next();
  };

import type { RequestHandler, Request, Response } from 'express';
import type { Tracing } from '../pipeline/trace-commands.js';
import { contextOf, type RequestContext } from './request-context.js';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { Metrics } from '../ports/telemetry.js';

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

const MAX_LENGTH = 200;

/** Values from the request are quoted in messages, and may contain quotes. */
const QUOTED = /".*"/s;
const SINGLE_QUOTED = /(^|\s)'.*'(?=[\s.,;:)]|$)/s;
const EMAIL = /[^\s<>(),;]+@[^\s<>(),;]+/g;
/** Names made up by the client: unknown fields and query parameters. */
const UNKNOWN_FIELD = /\S+ (?=is not a known |unknown )/g;
const PARAMETER = /(?<=^The query is not valid: )\S+/;
/** A phone number or a part of one. */
const PHONE_NUMBER = /\+?\d(?:[\s().-]{0,3}\d){5,}/g;

/**
 * The log fields of a refusal: code and reason, without personal data.
 *
 * @internal
 */
export const refusalLogFields = ({
  code,
  message,
  logMessage,
}: Refusal): { readonly code: string; readonly reason: string } => ({
  code,
  // Here only scopes are quoted.
  reason: (code === 'INSUFFICIENT_SCOPE' ? message : redact(logMessage ?? message)).slice(
    0,
    MAX_LENGTH,
  ),
});

const redact = (text: string): string =>
  text
    .replace(QUOTED, '"…"')
    .replace(SINGLE_QUOTED, "$1'…'")
    .replace(UNKNOWN_FIELD, '… ')
    .replace(PARAMETER, '…')
    .replace(EMAIL, '…')
    .replace(PHONE_NUMBER, '…');

/** Logs a request: never its body, URL or query, and no personal data. */
const logRequest = (context: RequestContext, request: Request, response: Response): void => {
  const { route = 'unmatched', caller, operator, refusal, startedAt, log } = context;
  const fields = {
    method: request.method,
    route,
    status: response.statusCode,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(caller && { tenant: caller.tenant.slug, key_prefix: caller.key.prefix }),
    // An id: the name of a person is personal data.
    ...(operator && { operator: operator.actor.id ?? operator.actor.name }),
    ...(refusal && refusalLogFields(refusal)),
    // The client disconnected before the response was complete.
    ...(!response.writableFinished && { aborted: true }),
  };
  if (PROBES.has(route)) log.debug(fields, 'request');
  else log.info(fields, 'request');
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Durations have no status label, which would multiply the number of buckets. */
const meter = (metrics: Metrics) => {
  const count = metrics.counter({
    name: 'rollgate_http_requests_total',
    help: 'HTTP requests, by method, route and status.',
    labels: ['method', 'route', 'status'],
  });
  const time = metrics.durations({
    name: 'rollgate_http_request_duration_seconds',
    help: 'Duration of HTTP requests in seconds, by method and route.',
    labels: ['method', 'route'],
  });
  return ({ route = 'unmatched', startedAt }: RequestContext, method: string, status: number) => {
    // A client can send any method; the label has few values.
    const labels = { method: METHODS.has(method) ? method : 'other', route };
    count({ ...labels, status: String(status) });
    time(labels, (performance.now() - startedAt) / 1000);
  };
};

/** Logs and counts every request when its response is complete or aborted; then calls `onEnd`. */
export const observeRequests = (
  metrics: Metrics,
  onEnd: (request: Request, response: Response) => void,
): RequestHandler => {
  const measure = meter(metrics);
  return (request, response, next) => {
    response.once('close', () => {
      const context = contextOf(request);
      logRequest(context, request, response);
      measure(context, request.method, response.statusCode);
      onEnd(request, response);
    });
    next();
  };
};

import type { Request, RequestHandler, Response } from 'express';
import type { Metrics } from '../../api/metrics.js';
import { refusalLogFields } from '../refusal-log-fields.js';
import { contextOf, type RequestContext } from '../request-context.js';

/** Requested every few seconds by probes; logged at debug level. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

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

/** Logs and counts every request when its response is complete or aborted. */
export const observeRequests = (metrics: Metrics): RequestHandler => {
  const measure = meter(metrics);
  return (request, response, next) => {
    response.once('close', () => {
      const context = contextOf(request);
      logRequest(context, request, response);
      measure(context, request.method, response.statusCode);
    });
    next();
  };
};

import type { Request, RequestHandler, Response } from 'express';
import type { Metrics } from '../../api/metrics.js';
import { refusalInLog } from '../refusal-in-log.js';
import { contextOf, type RequestContext } from '../request-context.js';

/** Routes that machines ask for every few seconds: their lines would bury the others. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** One line a request: never a body, the address as it was written, a query, or a person's data. */
const logRequest = (context: RequestContext, request: Request, response: Response): void => {
  const { route = 'unmatched', caller, refusal, startedAt, log } = context;
  const fields = {
    method: request.method,
    route,
    status: response.statusCode,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(caller && { tenant: caller.tenant.slug, key_prefix: caller.key.prefix }),
    ...(refusal && refusalInLog(refusal)),
    // The client went before the answer had been sent whole.
    ...(!response.writableFinished && { aborted: true }),
  };
  if (PROBES.has(route)) log.debug(fields, 'request');
  else log.info(fields, 'request');
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Counts by route and status, and times by route alone: a bucket for each status were too many. */
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
    // Anybody can make up a method; a label may take a known few values only.
    const labels = { method: METHODS.has(method) ? method : 'other', route };
    count({ ...labels, status: String(status) });
    time(labels, (performance.now() - startedAt) / 1000);
  };
};

/** Logs and counts every request when its answer is done, or given up. */
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

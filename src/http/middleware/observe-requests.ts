import type { Request, RequestHandler, Response } from 'express';
import type { Metrics } from '../../api/metrics.js';
import { contextOf, type RequestContext } from '../request-context.js';

/** Routes that machines ask for every few seconds: their lines would bury the others. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** One line a request: never a body, never the address as it was written, never a query. */
const logRequest = (context: RequestContext, request: Request, response: Response): void => {
  const { route = 'unmatched', caller, startedAt, log } = context;
  const fields = {
    method: request.method,
    route,
    status: response.statusCode,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(caller && { tenant: caller.tenant.slug, key: caller.key.prefix }),
    // The client went before the answer had been sent whole.
    ...(!response.writableFinished && { aborted: true }),
  };
  if (PROBES.has(route)) log.debug(fields, 'request');
  else log.info(fields, 'request');
};

const LABELS = ['method', 'route', 'status'];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Logs and counts every request when its answer is done, or given up. */
export const observeRequests = (metrics: Metrics): RequestHandler => {
  const seconds = metrics.durations({
    name: 'rollgate_http_request_duration_seconds',
    help: 'How long requests took, by route and status.',
    labels: LABELS,
  });
  const measure = (
    { route = 'unmatched', startedAt }: RequestContext,
    request: Request,
    status: number,
  ) => {
    const method = METHODS.has(request.method) ? request.method : 'other';
    seconds({ method, route, status: String(status) }, (performance.now() - startedAt) / 1000);
  };
  return (request, response, next) => {
    response.once('close', () => {
      const context = contextOf(request);
      logRequest(context, request, response);
      measure(context, request, response.statusCode);
    });
    next();
  };
};

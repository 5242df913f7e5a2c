import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { RequestListener } from 'node:http';
import type { DomainEvent } from '../domain/events.js';
import type { Tracing } from '../pipeline/trace-commands.js';
import type { Metrics } from '../ports/telemetry.js';
import type { RateLimiter } from '../ports/system.js';
import { raise } from '../domain/kernel/refusals.js';
import type { AwaitJobs } from '../pipeline/jobs.js';
import type { PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';
import type { EdgePorts } from './resources/route-parts.js';
import { routesOf, routeTable } from './resources/route-table.js';
import { captureRequests, startRequestRecorder } from './capture/capture-requests.js';
import { type BodyLimits, type BodyIntake, createBodyIntake } from './json/body-intake.js';
import { createLongResponses } from './long-responses.js';
import type { KeyCache } from './access/authenticate-key.js';
import { type AccessParts, startAccess } from './access/start-access.js';
import { checkHeaders, limitRate, refuseUnlessServing, setApiHeaders } from './admit-requests.js';
import { handleErrors } from './errors.js';
import { traceRequests, observeRequests } from './observe-requests.js';
import { createOpenApi } from './openapi/document.js';
import { opsRoutes } from './ops/ops-routes.js';
import type { PrometheusMetrics } from './ops/prometheus-metrics.js';
import type { Readiness, ServiceState } from './service-state.js';
import { attachContext } from './request-context.js';
import { createReplay } from './scim/replay-request.js';
import { scimInterface, type ScimParts } from './scim/scim-interface.js';
import { toCanonicalPath } from './scim/endpoints.js';
import { serveRoutes } from './routing/serve-routes.js';
import type { PipelinePorts } from './run-operation.js';
import { appendTo } from './access/sign-in-log.js';
import { serveSites } from './serve-sites.js';
import { takeTurns } from './take-turns.js';

/**
 * The stages of a request, in order. A stage passes the request on, or refuses it by throwing. Pages,
 * probes and documents need no credentials, so they have no stages from `serving` to `limit`.
 */
const STAGES = [
  /** Its id, log and start; SCIM's second base URL becomes the first. */
  'context',
  /** A span. */
  'trace',
  /** When its response has ended: the log, the metrics, and the counts of its key. */
  'observe',
  /** Sets security headers; refuses headers that two programs may read differently. */
  'headers',
  /** 503 while the gateway starts or stops. */
  'serving',
  /** By API key, access token, session or admin token. */
  'authenticate',
  /** Keeps SCIM requests of tenants that have asked for it. */
  'capture',
  /** The rate limit. */
  'limit',
  /** Access, path, query and body, then the operation, then the response (run-operation.ts). */
  'route',
  /** What any of them has thrown, in the format of the interface. */
  'errors',
] as const;

type Handler = RequestHandler | ErrorRequestHandler;
type Stages = { readonly [Stage in (typeof STAGES)[number]]?: Handler | readonly Handler[] };

const inOrder = (stages: Stages): Handler[] => STAGES.flatMap((stage) => stages[stage] ?? []);

/** What the HTTP edge needs from the rest of the gateway. */
export interface AppParts extends EdgePorts, AccessParts {
  readonly metrics: PrometheusMetrics;
  readonly state: ServiceState;
  readonly isReady: Readiness;
  readonly submit: Submit;
  readonly preview: PreviewCommand;
  /** Whether commands have been waiting or running recently. */
  readonly isBusy: () => boolean;
  readonly awaitJobs: AwaitJobs;
  readonly rateLimiter: RateLimiter;
  /** Of sessions and the admin token. */
  readonly operatorRateLimiter: RateLimiter;
  /** Memory limits for request bodies; absent: the defaults. */
  readonly bodyLimits?: BodyLimits;
  readonly version: string;
  /** Absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
  /** Absent: no SCIM interface. */
  readonly scim?: ScimParts;
}

/** The Express app, with the caches and timers behind it. */
export interface Edge {
  readonly app: Express;
  /** The app, for a server: requests that arrive together take turns. */
  readonly listener: RequestListener;
  readonly keys: Pick<KeyCache, 'invalidateKey' | 'invalidateTenant'>;
  /** Call it for each event that this gateway commits: it counts the users that a key changes. */
  readonly eventCommitted: (event: DomainEvent) => void;
  /** Stores when API keys were last used, what was counted of them, and captured requests. Call it after the server has stopped. */
  readonly stop: () => Promise<void>;
}

const refuseUnknownPath: RequestHandler = () => raise('NOT_FOUND');

const createExpress = (): Express => {
  const app = express();
  app.disable('x-powered-by');
  // ETags are versions, not hashes of the body; queries are read by routing/read-query.ts.
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  return app;
};

const registerBodyMetric = (metrics: Metrics, { reservedBytes }: BodyIntake): void =>
  metrics.gauge(
    {
      name: 'rollgate_http_body_bytes',
      help: 'Bytes reserved for the bodies of requests in progress.',
    },
    () => [{ value: reservedBytes() }],
  );

const TENANT = '/v1/:tenantSlug';

/** The HTTP interfaces: each is a path and the stages that its requests pass. */
export const createApp = (parts: AppParts): Edge => {
  const { log, metrics, state, extensions } = parts;
  const access = startAccess(parts);
  const recorder = startRequestRecorder({ store: parts.capturedRequests, metrics, log });
  const ports: PipelinePorts = {
    ...parts,
    waiting: { awaitJobs: parts.awaitJobs, drainSignal: state.drainSignal },
    recordOperation: (entry) => appendTo(parts, entry),
  };
  const replay = parts.scim && createReplay(parts.scim, ports);
  const routes = routeTable({ ...parts, ...access, replay });
  const operatorsRoutes = routesOf('operators', routes);
  const openapi = () => createOpenApi({ version: parts.version, routes, extensions });
  const intake = createBodyIntake(access.addressKey, parts.bodyLimits);
  registerBodyMetric(metrics, intake);
  const serving = refuseUnlessServing(state);
  const { authenticateKey } = access;
  const limit = limitRate(parts.rateLimiter, 'key');

  const app = createExpress();
  app.use(
    ...inOrder({
      context: [attachContext(log, intake, createLongResponses(parts)), toCanonicalPath],
      trace: parts.tracing ? traceRequests(parts.tracing) : [],
      observe: observeRequests(metrics, access.requestEnded),
      headers: [setApiHeaders, checkHeaders],
    }),
  );
  app.use(opsRoutes({ ...parts, openapi }));
  app.all(`${TENANT}/oauth2/token`, ...inOrder({ serving, route: access.tokenEndpoint(limit) }));
  if (parts.scim)
    app.use(
      `${TENANT}/scim/v2`,
      ...inOrder({
        serving,
        authenticate: authenticateKey,
        capture: captureRequests({ recorder, now: parts.now }),
        limit,
        route: scimInterface(parts.scim, ports),
      }),
    );
  app.use(
    TENANT,
    ...inOrder({
      serving,
      authenticate: authenticateKey,
      limit,
      route: serveRoutes('/v1/{tenantSlug}', routesOf('native', routes), ports),
    }),
  );
  app.use(
    '/admin/v1',
    ...inOrder({
      serving,
      authenticate: access.authenticateOperator(operatorsRoutes),
      limit: limitRate(parts.operatorRateLimiter, 'session or token'),
      route: serveRoutes('/admin/v1', operatorsRoutes, ports),
    }),
  );
  app.use(
    ...inOrder({ route: [serveSites(extensions.sites), refuseUnknownPath], errors: handleErrors }),
  );
  return {
    app,
    listener: takeTurns((request, response) => void app(request, response), access.shareOf),
    keys: access.keys,
    eventCommitted: access.eventCommitted,
    stop: async () => {
      await Promise.all([access.stop(), recorder.stop()]);
    },
  };
};

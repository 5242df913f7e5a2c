import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { DomainEvent } from '../domain/events.js';
import type { SessionLifetime } from '../domain/operator/operator.js';
import type { Tracing } from '../pipeline/trace-commands.js';
import type { Metrics } from '../ports/telemetry.js';
import type { RateLimiter } from '../ports/system.js';
import { kindOf, raise } from '../domain/kernel/refusals.js';
import type { AwaitJobs } from '../pipeline/jobs.js';
import type { PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';
import type { EdgePorts } from './resources/route-parts.js';
import { routesOf, routeTable } from './resources/route-table.js';
import { captureRequests, startRequestRecorder } from './capture/capture-requests.js';
import { type BodyLimits, type BodyIntake, createBodyIntake } from './json/body-intake.js';
import { createLongResponses } from './long-responses.js';
import { createAdminTokenCheck } from './access/credentials.js';
import { createAccessTokens } from './access/access-tokens.js';
import { tokenEndpoint } from './access/token-endpoint.js';
import { authenticateOperator } from './access/authenticate-operator.js';
import {
  type KeyCache,
  createKeyCache,
  startLastUsedTracker,
  authenticateTenantKey,
  createRefuseKey,
} from './access/authenticate-key.js';
import { checkHeaders, limitRate, refuseUnlessServing, setApiHeaders } from './admit-requests.js';
import { handleErrors, NATIVE_FORMAT, SCIM_FORMAT } from './errors.js';
import { traceRequests, observeRequests } from './observe-requests.js';
import {
  addressKeyOf,
  createClientAddress,
  createRefuseCredentials,
} from './access/refuse-credentials.js';
import { startConnectionTracker, trackRequests } from './access/track-connections.js';
import { createOpenApi } from './openapi/document.js';
import { opsRoutes } from './ops/ops-routes.js';
import type { PrometheusMetrics } from './ops/prometheus-metrics.js';
import type { Readiness, ServiceState } from './service-state.js';
import { attachContext, contextOf, ownerOf } from './request-context.js';
import { createReplay } from './scim/replay-request.js';
import { scimInterface, type ScimParts } from './scim/scim-interface.js';
import { collapseSlashes, isScimPath, isTenantScimPath } from './scim/endpoints.js';
import { serveRoutes } from './routing/serve-routes.js';
import type { PipelinePorts } from './run-operation.js';
import { appendTo, createSignInLog } from './access/sign-in-log.js';
import { createSessionCache, createSessions } from './access/sessions.js';
import { createLoopShares } from './access/loop-shares.js';
import { serveSites } from './serve-sites.js';
import { takeTurns } from './take-turns.js';

/** What the HTTP edge needs from the rest of the gateway. */
export interface AppParts extends EdgePorts {
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
  /** Per client address. */
  readonly failedAuthenticationsPerMinute: number;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly sessionLifetime: SessionLifetime;
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

/**
 * SCIM is also served at the tenant's root, next to the native API: `/Users` is SCIM, `/users` is
 * native.
 */
const onlyScimPaths =
  (scim: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (isTenantScimPath(request.path)) return scim(request, response, next);
    next();
  };

const [handleScimErrors, handleOtherErrors] = [
  handleErrors(SCIM_FORMAT),
  handleErrors(NATIVE_FORMAT),
];

/** Errors of requests that no interface handled, in the format of the interface of their path. */
const handleUnroutedErrors: ErrorRequestHandler = (error, request, response, next) =>
  (isScimPath(request.path) ? handleScimErrors : handleOtherErrors)(error, request, response, next);

const createExpress = (): Express => {
  const app = express();
  app.disable('x-powered-by');
  // ETags are versions, not hashes of the body; queries are read by routing/read-query.ts.
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  return app;
};

const TENANT_BASE = '/v1/:tenantSlug';

const mountScim = (app: Express, scim: RequestHandler): void => {
  app.use(collapseSlashes);
  app.use(`${TENANT_BASE}/scim/v2`, scim);
  app.use(TENANT_BASE, onlyScimPaths(scim));
};

const registerBodyMetric = (metrics: Metrics, { reservedBytes }: BodyIntake): void =>
  metrics.gauge(
    {
      name: 'rollgate_http_body_bytes',
      help: 'Bytes reserved for the bodies of requests in progress.',
    },
    () => [{ value: reservedBytes() }],
  );

/**
 * The HTTP interface. Its parts handle a request in this order: context, probes and documents,
 * SCIM, the native API, the operators' API, errors.
 */
export const createApp = (parts: AppParts): Edge => {
  const { apiKeys, log, state } = parts;
  const keys = createKeyCache({ findByHash: apiKeys.findByHash, now: () => performance.now() });
  const keyUsage = startLastUsedTracker({ noteUse: apiKeys.recordUse, now: () => new Date(), log });
  const tracker = startConnectionTracker({ store: parts.connections, now: parts.now, log });
  const addressOf = createClientAddress(parts.trustedProxies);
  const refuseCredentials = createRefuseCredentials({
    limit: parts.failedAuthenticationsPerMinute,
    now: () => Date.now(),
    addressOf,
  });
  const addressKey = (request: IncomingMessage) => addressKeyOf(addressOf(request));
  const shares = createLoopShares(addressKey);
  const track = trackRequests(tracker, addressOf);
  const onEnd: typeof track = (request, response) => {
    const owner = ownerOf(request);
    const { refusal } = contextOf(request);
    if (owner !== undefined || (refusal && kindOf(refusal) === 'unauthenticated'))
      shares.learn(request, owner);
    track(request, response);
  };
  const refuseIfNotServing = refuseUnlessServing(state);
  const tokens = createAccessTokens({ mac: parts.adminTokens.hashOf, now: () => Date.now() });
  const refuseKey = createRefuseKey({
    refuseCredentials,
    recordFailure: tracker.authenticationFailed,
    addressOf,
  });
  const authenticate = authenticateTenantKey({
    ...{ keys, tokens, refuseKey, addressKey, recordUse: keyUsage.record },
  });
  const recorder = startRequestRecorder({
    store: parts.capturedRequests,
    metrics: parts.metrics,
    log,
  });
  const authenticated = [refuseIfNotServing, authenticate];
  const limit = limitRate(parts.rateLimiter, 'key');
  const adminTokenCheck = createAdminTokenCheck({
    ...parts.adminTokens,
    now: () => performance.now(),
  });
  const sessionCache = createSessionCache({
    find: parts.signIn.sessions.find,
    now: () => performance.now(),
  });
  const sessions = createSessions({
    store: parts.signIn.sessions,
    cache: sessionCache,
    adminTokenCheck,
    publicUrl: parts.publicUrl,
    lifetime: parts.sessionLifetime,
    now: parts.now,
    onTouchError: (error) => log.warn({ err: error }, 'cannot record the use of a session'),
  });
  const waiting = { awaitJobs: parts.awaitJobs, drainSignal: state.drainSignal };
  const ports: PipelinePorts = {
    ...parts,
    waiting,
    recordOperation: (entry) => appendTo(parts, entry),
  };
  const replay = parts.scim && createReplay(parts.scim, ports);
  const signInLog = createSignInLog(parts);
  const routes = routeTable({
    ...parts,
    keys,
    adminTokenCheck,
    sessions,
    sessionCache,
    signInLog,
    flushConnections: tracker.flush,
    replay,
  });
  const operatorsRoutes = routesOf('operators', routes);
  const authenticateSignedIn = authenticateOperator({
    adminTokenCheck,
    sessions,
    refuseCredentials,
    publicUrl: parts.publicUrl,
    routes: operatorsRoutes,
  });
  const openapi = () =>
    createOpenApi({ version: parts.version, routes, extensions: parts.extensions });

  const app = createExpress();
  const intake = createBodyIntake(addressKey, parts.bodyLimits);
  registerBodyMetric(parts.metrics, intake);
  app.use(attachContext(log, intake, createLongResponses(parts)));
  if (parts.tracing) app.use(traceRequests(parts.tracing));
  app.use(observeRequests(parts.metrics, onEnd), setApiHeaders);
  app.use(checkHeaders);
  app.use(opsRoutes({ ...parts, openapi }));
  app.all(
    `${TENANT_BASE}/oauth2/token`,
    refuseIfNotServing,
    ...tokenEndpoint({ keys, tokens, refuseKey, addressKey, recordUse: keyUsage.record, limit }),
  );
  const capture = captureRequests({ recorder, now: parts.now });
  if (parts.scim)
    mountScim(app, scimInterface(parts.scim, ports, [...authenticated, capture, limit]));
  app.use(
    TENANT_BASE,
    ...authenticated,
    limit,
    serveRoutes('/v1/{tenantSlug}', routesOf('native', routes), ports),
  );
  app.use(
    '/admin/v1',
    refuseIfNotServing,
    authenticateSignedIn,
    limitRate(parts.operatorRateLimiter, 'session or token'),
    serveRoutes('/admin/v1', operatorsRoutes, ports),
  );
  app.use(serveSites(parts.extensions.sites));
  app.use(refuseUnknownPath);
  app.use(handleUnroutedErrors);
  const stop = async (): Promise<void> => {
    await Promise.all([keyUsage.stop(), tracker.stop(), recorder.stop()]);
  };
  const listener = takeTurns((request, response) => void app(request, response), shares.shareOf);
  return { app, listener, keys, eventCommitted: tracker.eventCommitted, stop };
};

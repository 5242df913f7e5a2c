import type { Express } from 'express';
import { NO_EXTENSIONS } from '../../src/routes/extensions.js';
import type { Log } from '../../src/ports/telemetry.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { type AppParts, createApp, type Edge } from '../../src/http/app.js';
import { createFixedWindowRateLimiter } from '../../src/http/access/refuse-credentials.js';
import { createPrometheusMetrics } from '../../src/http/ops/prometheus-metrics.js';
import { createServiceState, type ServiceState } from '../../src/http/service-state.js';
import { FakeBackend } from './fake-world.js';
import { memorySignInStores } from './memory-sign-in.js';
import { TEST_VAULT } from './sms.js';
import {
  fakeAdminTokens,
  memoryCapturedRequests,
  memoryOperatorLog,
  NO_ACTIVITY,
  NO_CONNECTIONS,
  NO_EVENTS,
  NO_EXPLANATIONS,
  NO_RESULTS,
  NO_WAITING,
  ONE_GATEWAY,
  OPEN_SEAL,
} from './edge-stubs.js';

export const ADMIN_TOKEN = 'admin-token-of-the-tests-0123456789';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A log that records its lines, including those of child loggers. */
export const createFakeLog = (): { readonly log: Log; readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const createLog = (bound: object): Log => {
    const at = (level: string) => (fields: object, message: string) =>
      void lines.push({ ...bound, ...fields, level, message });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => createLog({ ...bound, ...fields }),
    };
  };
  return { log: createLog({}), lines };
};

/** The HTTP app over a fake backend with one tenant, "acme", and an API key with every scope. */
export interface FakeApp extends Edge {
  readonly app: Express;
  readonly backend: FakeBackend;
  readonly tenant: Tenant;
  readonly key: string;
  readonly lines: readonly LogLine[];
  readonly state: ServiceState;
}

const MINUTE = 60_000;
/** Just after the start of a rate-limit window, so that no test reaches the next one. */
const IN_A_WINDOW = () => 10 * MINUTE + 1;

const createUnlimited = () =>
  createFixedWindowRateLimiter({ limit: 10_000, windowMs: MINUTE, now: IN_A_WINDOW });

export const createFakeApp = (more: Partial<AppParts> = {}): FakeApp => {
  const backend = new FakeBackend();
  const tenant = backend.addTenant({ slug: 'acme' });
  const { key } = backend.addKey(tenant);
  const { log, lines } = createFakeLog();
  const state = createServiceState();
  const edge = createApp({
    log,
    state,
    metrics: createPrometheusMetrics(log),
    isReady: () => Promise.resolve(true),
    submit: backend.submit,
    preview: backend.preview,
    isBusy: () => false,
    awaitJobs: NO_WAITING.awaitJobs,
    users: backend.userReader,
    events: NO_EVENTS,
    rooms: backend.roomReader,
    groupViews: backend.groupViewReader,
    roleMappings: backend.roleMappingReader,
    jobs: backend.jobReader,
    smsLists: backend.smsListReader,
    numbers: TEST_VAULT,
    tenants: backend.tenantReader,
    apiKeys: backend.apiKeyReader,
    connections: NO_CONNECTIONS,
    commands: backend.commandReader,
    capturedRequests: memoryCapturedRequests(),
    explain: NO_EXPLANATIONS,
    activity: NO_ACTIVITY,
    search: NO_RESULTS,
    system: ONE_GATEWAY,
    plugins: () => Promise.resolve([]),
    rateLimiter: createUnlimited(),
    operatorRateLimiter: createUnlimited(),
    failedAuthenticationsPerMinute: 300,
    trustedProxies: [],
    adminTokens: fakeAdminTokens(ADMIN_TOKEN),
    signIn: memorySignInStores(),
    sessionLifetime: { idleTimeout: 30 * MINUTE, maxAge: 12 * 60 * MINUTE },
    operatorSignIn: undefined,
    branding: { name: null, logo: null, accent: null },
    seal: OPEN_SEAL,
    operatorLog: memoryOperatorLog(),
    now: () => new Date(),
    publicUrl: () => 'http://gateway.test',
    version: '0.0.0',
    extensions: NO_EXTENSIONS,
    ...more,
  });
  return { ...edge, backend, tenant, key, lines, state };
};

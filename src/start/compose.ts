import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../../config/load-config.js';
import type { EventName } from '../domain/events.js';
import { type Tracing, traceCommands } from '../pipeline/trace-commands.js';
import { createAdminTokens } from '../secrets/admin-tokens.js';
import { offerSetupLink, type SetupLink } from './setup-link.js';
import {
  checkConfig,
  type CheckedConnector,
  type ConfiguredPlugins,
  secretsIn,
  tracingEndpoint,
} from './check-config.js';
import { createApp } from '../http/app.js';
import { createPrometheusMetrics } from '../http/ops/prometheus-metrics.js';
import { startServer } from '../http/server.js';
import { createServiceState } from '../http/service-state.js';
import { loadPlugins } from './load-extensions.js';
import { loadSecretKey, type SecretKey } from '../secrets/local-secrets.js';
import { requireFreeAddress } from '../process/listen.js';
import { createNumberVault } from '../sms/number-vault.js';
import { openOpenIdProvider } from './openid-provider.js';
import { readPluginStates, createReadSystem } from './read-system.js';
import { registerMetrics } from './register-metrics.js';
import { runRegularly } from './run-regularly.js';
import type { OutboxPlanner } from '../outbox/outbox-planner.js';
import { createJobWaits } from '../pipeline/jobs.js';
import { type Pipeline, startPipeline } from '../pipeline/pipeline.js';
import type { Plugin } from '../plugin/contract/contract.js';
import { createDeliveryEngine } from '../plugin/delivery/delivery-engine.js';
import { createDeliveryTraces } from '../plugin/delivery/delivery-traces.js';
import { logStreamFaults } from '../plugin/host/log-stream-faults.js';
import { createRecoveries } from '../plugin/delivery/recoveries.js';
import { wakeAfterRequests } from '../plugin/host/wake-after-requests.js';
import { createNameResolver, type NameResolver } from '../plugin/outbound/name-resolver.js';
import { createHttpSender } from '../plugin/outbound/undici-sender.js';
import { systemClock } from '../plugin/contract/clock.js';
import {
  type ConnectorInstance,
  createConnectors,
} from '../plugin/connector-runtime/configured-connectors.js';
import { createSourceState } from '../plugin/connector-runtime/open-connector.js';
import { createSourceClock } from '../plugin/connector-runtime/source-clock.js';
import { metricsFor, startPlugins } from '../plugin/host/plugin-host.js';
import { createSecretBox } from '../plugin/host/secret-box.js';
import { connect, DatabaseError } from '../store/connect.js';
import { startEmbeddedMongo } from '../store/embedded/start-embedded-mongo.js';
import { openStore, type Store } from '../store/open-store.js';
import { startSmsSweeps } from '../sms/sweep-sms-members.js';
import { VERSION } from '../process/program.js';
import { withinTime } from '../process/within-time.js';

export interface GatewayParts {
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  /** Absent: loaded here, as the configuration names them. */
  readonly plugins?: ConfiguredPlugins;
  /** In place of the built-in plugins. */
  readonly builtIns?: readonly Plugin[];
  /** How long a response waits for its job, in milliseconds; absent: 20 s. */
  readonly jobWaitMs?: number;
  /** Absent: that of the machine. */
  readonly names?: NameResolver;
}

/** A running gateway. */
export interface Gateway {
  /** `http://host:port`, the address it listens on. */
  readonly url: string;
  /** The address that clients use. */
  readonly publicUrl: string;
  /** Null if the dashboard is disabled. */
  readonly dashboardUrl: string | null;
  /** Empty if another gateway of the database has set it: then only its hash is known here. */
  readonly adminToken: string;
  /** The file that contains it; null if it is configured or not known here. */
  readonly adminTokenPath: string | null;
  /** This start has generated it. */
  readonly isNewToken: boolean;
  /** How to create the first owner; undefined once there is an operator. */
  readonly setup: SetupLink | undefined;
  /** Aborted, with the cause, if the gateway cannot continue: the process must stop it and end. */
  readonly failed: AbortSignal;
  /**
   * Makes `/readyz` fail, and keeps serving for half a second: requests sent before a load balancer
   * could notice must not fail.
   */
  readonly drain: () => Promise<void>;
  /** Finishes requests in flight, releases leases, and stops the embedded database. */
  readonly stop: () => Promise<void>;
}

const PURGE_MS = 60_000;
const FILL_WORDS_MS = 3_600_000;
const JOBS_MS = 2_000;
const DRAIN_MS = 500;
/** For each part that stops, besides the grace period of requests: more than its own limits add up to. */
const STOP_MS = 30_000;

type Shutdown = () => unknown;

/** How to stop what was started; run in reverse order. */
class ShutdownStack {
  readonly #shutdowns: Shutdown[] = [];

  add(shutdown: Shutdown): void {
    this.#shutdowns.push(shutdown);
  }

  async run({ log, loaded: { config } }: GatewayParts): Promise<void> {
    const limitMs = STOP_MS + config.shutdown.graceSeconds * 1_000;
    for (const shutdown of this.#shutdowns.splice(0).reverse()) {
      try {
        await withinTime(limitMs, async () => {
          await shutdown();
        });
      } catch (error) {
        log.error({ err: error }, 'a part of the gateway failed to stop');
      }
    }
  }
}

/**
 * Wires and starts all parts of the gateway. If one fails to start, those started before are stopped;
 * the rejection has a message for the operator.
 */
export const startGateway = async (parts: GatewayParts): Promise<Gateway> => {
  const shutdown = new ShutdownStack();
  try {
    return await start(parts, shutdown);
  } catch (error) {
    await shutdown.run(parts);
    throw error;
  }
};

const start = async (parts: GatewayParts, shutdown: ShutdownStack): Promise<Gateway> => {
  const { loaded, log, env, jobWaitMs } = parts;
  const { config } = loaded;
  logStreamFaults(log);
  // First: a start that cannot listen must not create a data folder.
  await requireFreeAddress(config);
  const instanceId = randomUUID();
  const tracing = await openTracing(parts, { instanceId }, shutdown);
  const deliveryTraces = tracing && createDeliveryTraces(tracing);
  const plugins = parts.plugins ?? (await configurePlugins(parts));
  const client = await connect(await databaseUri({ loaded, log, env }, shutdown));
  shutdown.add(() => client.close());
  const secretKey = await loadSecretKey({ ...config, log });
  const secrets = createSecretBox(secretKey.key);
  const store = await openStore(client, {
    instanceId,
    secrets,
    version: VERSION,
    plugins: plugins.enabled.map(({ name }) => name),
    keepEventsMs: config.retention.events,
    keepLogMs: config.retention.commandLog,
    rateLimits: config.rateLimit,
    log,
  });
  shutdown.add(store.close);

  // Circular: plugins submit to the pipeline, which uses their subscribers and rules. Both exist
  // before the first request.
  const pipeline = startPipeline({
    store: store.commits,
    outbox: lateOutboxPlanner(() => engine),
    rules: {
      pluginRule: (plugin, change) => running.rule(plugin, change),
      describeRecord: (record) => running.describe(record),
    },
    ...(deliveryTraces && { traces: traceCommands(tracing, deliveryTraces.noteCause) }),
    log,
  });

  const resolver = parts.names ?? createNameResolver();
  shutdown.add(resolver.close);
  const metrics = createPrometheusMetrics(log);
  const connectors = createConnectors(plugins.connectors.map(instanceOf), {
    of: (name) => ({
      log: log.child({ connector: name }),
      state: createSourceState(name, store.collectionOf('connector-host', 'state')),
      metrics: metricsFor(`connector-${name}`, metrics),
    }),
    secretsIn: (settings) => secretsIn(settings).map((secret) => secret.reveal()),
    sourceClock: createSourceClock(() => new Date()),
    clock: systemClock,
    resolve: resolver.resolve,
    userAgent: `Rollgate/${VERSION}`,
  });
  for (const { name, problem } of connectors.host.list)
    if (problem !== null) log.error({ connector: name, problem }, 'a connector cannot be used');
  shutdown.add(connectors.stop);
  const running = await startPlugins(plugins.enabled, {
    submit: pipeline.submit,
    preview: pipeline.preview,
    users: {
      ...store.userLookups,
      groupsOf: store.groups.groupsOf,
      tenant: store.tenants.findBySlug,
    },
    connectors: connectors.host,
    recordsOf: store.recordsOf,
    notesOf: store.notesOf,
    collectionOf: store.collectionOf,
    deliveriesOf: (plugin) =>
      wakeAfterRequests(store.deliveriesOf(plugin), {
        redelivered: () => engine.wake(plugin),
        recovering: () => recoveries.wake(),
      }),
    actions: store.actions,
    leases: store.leases,
    jobs: store.pluginJobs,
    instanceId,
    secrets,
    metrics,
    senderFor: (policy) => {
      const sender = createHttpSender({
        ...policy,
        userAgent: `Rollgate/${VERSION}`,
        resolve: resolver.resolve,
      });
      return deliveryTraces ? deliveryTraces.propagating(sender) : sender;
    },
    now: store.instances.databaseTime,
    events: store.events,
    events$: pipeline.events$,
    logOf: (plugin) => log.child({ plugin }),
  });
  shutdown.add(running.stop);

  const engine = createDeliveryEngine({
    subscribers: running.subscribers,
    store: store.outbox,
    owner: instanceId,
    otherInstancesAlive: () => store.instances.alive() > 1,
    timesExpired: store.instances.timesBuried,
    isBusy: pipeline.isBusy,
    traces: deliveryTraces,
    log: log.child({ part: 'deliveries' }),
  });
  engine.start();
  shutdown.add(engine.stop);
  const recoveries = createRecoveries({
    subscribers: running.subscribers,
    store: store.recoveries,
    owner: instanceId,
    onRequeued: engine.wake,
    log: log.child({ part: 'deliveries' }),
  });
  recoveries.start();
  shutdown.add(recoveries.stop);
  shutdown.add(pipeline.drain);

  const awaitJobs = createJobWaits({
    findByIds: store.jobs.findByIds,
    steps$: pipeline.jobSteps$,
    log,
    ...(jobWaitMs !== undefined && { waitMs: jobWaitMs }),
  });

  const state = createServiceState('starting');
  pipeline.failed.addEventListener('abort', () =>
    state.fail('The gateway has failed and is restarting.'),
  );
  registerMetrics(metrics, { engine, pipeline, instances: store.instances });
  const adminTokens = createAdminTokens({
    configured: config.adminToken,
    dataDir: config.dataDir,
    store: store.adminToken,
    secretKey: secretKey.key,
    log,
  });
  const pluginStates = () =>
    readPluginStates({ configured: plugins, running, gauges: engine.gauges });
  const publicUrl = (): string => config.publicUrl ?? server.url;
  const provider = await openOpenIdProvider(config.operators.oidc, log);
  const edge = createApp({
    log,
    metrics,
    state,
    isReady: store.isReady,
    submit: pipeline.submit,
    preview: pipeline.preview,
    isBusy: pipeline.isBusy,
    awaitJobs,
    users: store.users,
    groupViews: store.groupViews,
    events: store.events,
    rooms: store.rooms,
    roleMappings: store.roleMappings,
    smsLists: store.smsLists,
    numbers: createNumberVault({ secrets, secretKey: secretKey.key }),
    jobs: store.jobs,
    tenants: store.tenants,
    apiKeys: store.apiKeys,
    commands: store.commands,
    capturedRequests: store.capturedRequests,
    explain: store.explain,
    activity: store.activity,
    search: store.search,
    system: createReadSystem({
      version: VERSION,
      node: process.versions.node,
      instanceId,
      isEmbedded: !config.mongodb.uri,
      ...store.system,
      plugins: pluginStates,
      publicUrl: config.publicUrl,
      databaseTime: store.instances.databaseTime,
      now: () => new Date(),
    }),
    plugins: pluginStates,
    rateLimiter: store.rateLimiter,
    operatorRateLimiter: store.operatorRateLimiter,
    failedAuthenticationsPerMinute: config.rateLimit.failedAuthenticationsPerMinute,
    trustedProxies: config.trustedProxies,
    adminTokens,
    signIn: store.signIn,
    sessionLifetime: config.operators.sessions,
    operatorSignIn: provider && { provider, roles: config.operators.oidc.roles, seal: secrets },
    now: store.instances.databaseTime,
    publicUrl,
    version: VERSION,
    tracing,
    extensions: running.extensions,
    scim: {
      users: store.users,
      groups: store.groups,
      maxBulkOperations: config.scim.bulk.maxOperations,
    },
  });
  shutdown.add(edge.stop);
  // Responses about users include changes of groups at once.
  const groupChanges = pipeline.events$.subscribe({
    next: ({ name, tenantId }) => {
      if (name === 'group.created') edge.keys.invalidateTenant(tenantId);
      if (isGroupChange(name)) store.groupNames.forget(tenantId);
    },
    error: (error: unknown) => log.error({ err: error }, 'the event stream has failed'),
  });
  shutdown.add(() => groupChanges.unsubscribe());
  const server = await startServer((request, response) => void edge.app(request, response), {
    host: config.host,
    port: config.port,
    state,
  });
  shutdown.add(() =>
    server.stop({
      graceMs: state.phase() === 'starting' ? 0 : config.shutdown.graceSeconds * 1_000,
    }),
  );
  // Only after the port is bound: a start that fails must leave no new secrets behind. Until both are
  // done, requests get 503.
  await storeSecretKey(secretKey, store);
  const token = await adminTokens.agree();
  const setup = await offerSetupLink({
    dataDir: config.dataDir,
    signIn: store.signIn,
    publicUrl: publicUrl(),
    now: store.instances.databaseTime,
    log,
  });
  for (const stop of startUpkeep(store, pipeline, log)) shutdown.add(stop);
  const { removeEndedAfter } = config.sms;
  if (removeEndedAfter !== null)
    shutdown.add(
      startSmsSweeps({
        smsLists: store.smsLists,
        submit: pipeline.submit,
        log,
        after: removeEndedAfter,
        now: store.instances.databaseTime,
      }),
    );
  running.startWork();
  state.serve();
  log.info({ url: server.url, version: VERSION, instance: instanceId }, 'serving');

  const hasDashboard = running.extensions.sites.some(({ at }) => at === '/dashboard');
  return {
    url: server.url,
    publicUrl: publicUrl(),
    dashboardUrl: hasDashboard ? `${publicUrl()}/dashboard/` : null,
    ...token,
    setup,
    failed: pipeline.failed,
    drain: async () => {
      state.drain();
      await wait(DRAIN_MS);
      await acceptPending();
    },
    stop: () => shutdown.run(parts),
  };
};

const isGroupChange = (name: EventName): boolean =>
  name === 'group.created' || name === 'group.updated' || name === 'group.deleted';

const instanceOf = (connector: CheckedConnector): ConnectorInstance => ({
  ...connector,
  problem:
    connector.problems.length === 0
      ? null
      : connector.problems
          .map(({ place, key, message }) => [place, key, message].filter(Boolean).join(': '))
          .join('; '),
});

const configurePlugins = async ({
  loaded: { options },
  builtIns,
}: GatewayParts): Promise<ConfiguredPlugins> =>
  checkConfig(options, await loadPlugins(options, builtIns)).plugins;

/**
 * Lets requests that have already arrived be read, even on a slow machine: timers run before I/O in a
 * turn of the event loop. One turn accepts a connection, the next one reads its request.
 */
const acceptPending = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();
};

/**
 * Stores a new key before the database is marked with it, because a mark of a lost key could not be
 * undone. The file is removed only if the database certainly belongs to another key.
 */
const storeSecretKey = async (secretKey: SecretKey, store: Store): Promise<void> => {
  const removeFile = await secretKey.store();
  try {
    await store.claimSecretKey();
  } catch (error) {
    if (error instanceof DatabaseError) await removeFile();
    throw error;
  }
};

/** Traces, if an endpoint is configured. Stopped last: spans end while the other parts stop. */
const openTracing = async (
  { loaded: { config }, log, env }: GatewayParts,
  { instanceId }: { readonly instanceId: string },
  shutdown: ShutdownStack,
): Promise<Tracing | undefined> => {
  const endpoint = tracingEndpoint(config, env);
  if (endpoint === undefined) return undefined;
  const { startTracing } = await import('./start-tracing.js');
  const tracing = await startTracing({ endpoint, version: VERSION, instanceId, log });
  shutdown.add(tracing.stop);
  return tracing;
};

/** The configured database, or an embedded one. */
const databaseUri = async (
  { loaded: { config }, log, env }: GatewayParts,
  shutdown: ShutdownStack,
): Promise<string> => {
  if (config.mongodb.uri) return config.mongodb.uri.reveal();
  const mongo = await startEmbeddedMongo({ dataDir: config.dataDir, log, env });
  shutdown.add(mongo.stop);
  return mongo.uri;
};

/** A planner for the pipeline that uses the engine once it exists. */
const lateOutboxPlanner = (engine: () => OutboxPlanner): OutboxPlanner => ({
  prepare: (tenant) => engine().prepare(tenant),
  plan: (...batch) => engine().plan(...batch),
  committed: (...rows) => engine().committed(...rows),
  abandoned: (rows, written) => engine().abandoned(rows, written),
});

/** What a gateway does regularly, besides its requests; returns the functions that stop it. */
const startUpkeep = (store: Store, pipeline: Pipeline, log: Logger): readonly Shutdown[] => {
  const purge = async (): Promise<void> => {
    const purged = await store.purge();
    if (purged.length > 0) log.info({ tenants: purged }, 'purged deleted tenants');
  };
  const fillNameWords = async (signal: AbortSignal): Promise<void> => {
    const count = await store.fillNameWords(signal);
    if (count > 0) log.info({ names: count }, 'indexed the words of names');
  };
  const stopPurging = runRegularly(purge, {
    everyMs: PURGE_MS,
    failure: 'cannot purge deleted tenants',
    log,
  });
  return [
    // Not awaited: a purge may take long, and the next gateway completes it.
    () => void stopPurging(),
    runRegularly(fillNameWords, {
      everyMs: FILL_WORDS_MS,
      failure: 'cannot index the words of names',
      log,
    }),
    runRegularly(pipeline.resumeJobs, {
      everyMs: JOBS_MS,
      failure: 'cannot look for unfinished jobs',
      log,
    }),
  ];
};

import { browserUrlOf } from '../../config/is-loopback.js';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../../config/load-config.js';
import type { EventName } from '../domain/events.js';
import type { Edge } from '../http/app.js';
import { startServer } from '../http/server.js';
import { createServiceState } from '../http/service-state.js';
import type { Tracing } from '../pipeline/trace-commands.js';
import type { Plugin } from '../plugin/contract/contract.js';
import { logStreamFaults } from '../plugin/host/event-stream.js';
import { createSecretBox } from '../plugin/host/secret-box.js';
import type { NameResolver } from '../plugin/outbound/name-resolver.js';
import { type OutboundProxy, readProxy } from '../plugin/outbound/outbound-proxy.js';
import { requireFreeAddress } from '../process/listen.js';
import { VERSION } from '../process/program.js';
import { createAdminTokens } from '../secrets/admin-tokens.js';
import { loadSecretKey, type SecretKey } from '../secrets/local-secrets.js';
import { connect, DatabaseError } from '../store/connect.js';
import { startEmbeddedMongo } from '../store/embedded/start-embedded-mongo.js';
import { openStore, type Store } from '../store/open-store.js';
import { buildEdge, createAddress } from './build-edge.js';
import { checkConfig, type ConfiguredPlugins, tracingEndpoint } from './check-config.js';
import { loadPlugins } from './load-extensions.js';
import { offerSetupLink, type SetupLink } from './setup-link.js';
import { ShutdownStack } from './shutdown-stack.js';
import { type Core, startCore } from './start-core.js';
import { startUpkeep } from './upkeep.js';

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
  /** The clock of the HTTP interfaces; absent: the database's. */
  readonly now?: () => Date;
  /** Called after each step of the start, with its name. */
  readonly onStep?: (step: string) => void;
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

const DRAIN_MS = 500;

/**
 * Wires and starts all parts of the gateway. If one fails to start, those started before are stopped;
 * the rejection has a message for the operator.
 */
export const startGateway = async (parts: GatewayParts): Promise<Gateway> => {
  const shutdown = new ShutdownStack();
  const stop = () => shutdown.run(parts.log, parts.loaded.config.shutdown.graceSeconds * 1_000);
  try {
    return { ...(await start(parts, shutdown)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** What the other parts are built on. */
interface Foundation extends GatewayParts {
  readonly instanceId: string;
  readonly tracing: Tracing | undefined;
  readonly plugins: ConfiguredPlugins;
  readonly proxy: OutboundProxy | undefined;
  readonly secretKey: SecretKey;
  readonly secrets: ReturnType<typeof createSecretBox>;
  readonly store: Store;
}

const start = async (
  parts: GatewayParts,
  shutdown: ShutdownStack,
): Promise<Omit<Gateway, 'stop'>> => {
  const { log } = parts;
  const { config } = parts.loaded;
  logStreamFaults(log);
  // First: a start that cannot listen must not create a data folder.
  await requireFreeAddress(config);
  const foundation = await openFoundation(parts, shutdown);
  const { store } = foundation;
  const address = createAddress(config.publicUrl);
  const core = await startCore({ ...foundation, publicUrl: address.publicUrl }, shutdown);
  const { pipeline, running } = core;
  const state = createServiceState('starting');
  pipeline.failed.addEventListener('abort', () =>
    state.fail('The gateway has failed and is restarting.'),
  );
  const adminTokens = createAdminTokens({
    configured: config.adminToken,
    dataDir: config.dataDir,
    store: store.adminToken,
    secretKey: foundation.secretKey.key,
    log,
  });
  const edge = await buildEdge(foundation, core, { state, address, adminTokens });
  shutdown.add(edge.stop);
  shutdown.add(passEvents(edge, core, foundation));
  const server = await startServer(edge.listener, {
    host: config.host,
    port: config.port,
    state,
    trustedProxies: config.trustedProxies,
  });
  shutdown.add((graceMs) => server.stop({ graceMs: state.phase() === 'starting' ? 0 : graceMs }));
  address.listenAt(server.url);
  // Only after the port is bound: a start that fails must leave no new secrets behind. Until both are
  // done, requests get 503.
  await storeSecretKey(foundation.secretKey, store);
  const token = await adminTokens.agree();
  const setup = await offerSetupLink({
    dataDir: config.dataDir,
    signIn: store.signIn,
    publicUrl: address.publicUrl(),
    now: store.instances.databaseTime,
    log,
  });
  startUpkeep({ store, pipeline, removeEndedAfter: config.sms.removeEndedAfter, log }, shutdown);
  running.startWork();
  state.serve();
  parts.onStep?.('gateway');
  log.info({ url: server.url, version: VERSION, instance: foundation.instanceId }, 'serving');

  const publicUrl = address.publicUrl();
  const hasDashboard = running.extensions.sites.some(({ at }) => at === '/dashboard');
  return {
    url: server.url,
    publicUrl,
    dashboardUrl: hasDashboard ? `${browserUrlOf(publicUrl)}/dashboard/` : null,
    ...token,
    setup,
    failed: pipeline.failed,
    drain: async () => {
      state.drain();
      await wait(DRAIN_MS);
      await acceptPending();
    },
  };
};

/** Loads the plugins and opens the database. */
const openFoundation = async (
  parts: GatewayParts,
  shutdown: ShutdownStack,
): Promise<Foundation> => {
  const { config } = parts.loaded;
  const { log } = parts;
  const instanceId = randomUUID();
  const tracing = await openTracing(parts, { instanceId }, shutdown);
  const plugins = parts.plugins ?? (await configurePlugins(parts));
  const proxy = readProxy(parts.env);
  if (proxy) log.info({ proxy: proxy.url.host }, 'outbound HTTPS uses the proxy of HTTPS_PROXY');
  const client = await connect(await databaseUri(parts, shutdown));
  parts.onStep?.('database');
  shutdown.add(() => client.close());
  const secretKey = await loadSecretKey({ ...config, log });
  const secrets = createSecretBox(secretKey.key);
  const store = await openStore(client, {
    instanceId,
    secrets,
    version: VERSION,
    keepEventsMs: config.retention.events,
    keepLogMs: config.retention.commandLog,
    rateLimits: config.rateLimit,
    log,
  });
  shutdown.add(store.close);
  return { ...parts, instanceId, tracing, plugins, proxy, secretKey, secrets, store };
};

const configurePlugins = async ({
  loaded: { options },
  builtIns,
}: GatewayParts): Promise<ConfiguredPlugins> =>
  checkConfig(options, await loadPlugins(options, builtIns)).plugins;

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

/**
 * Responses about users include changes of groups at once, and the users that a key changes are
 * counted. Returns what ends this.
 */
const passEvents = (edge: Edge, { pipeline }: Core, { store, log }: Foundation): (() => void) => {
  const events = pipeline.events$.subscribe({
    next: (event) => {
      const { name, tenantId } = event;
      edge.eventCommitted(event);
      if (name === 'group.created') edge.keys.invalidateTenant(tenantId);
      if (isGroupChange(name)) store.groupNames.forget(tenantId);
    },
    error: (error: unknown) => log.error({ err: error }, 'the event stream has failed'),
  });
  return () => events.unsubscribe();
};

const isGroupChange = (name: EventName): boolean =>
  name === 'group.created' || name === 'group.updated' || name === 'group.deleted';

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

/**
 * Lets requests that have already arrived be read, even on a slow machine: timers run before I/O in a
 * turn of the event loop. One turn accepts a connection, the next one reads its request.
 */
const acceptPending = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();
};

import { randomUUID } from 'node:crypto';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load-config.js';
import { createAdminTokens } from './admin-tokens.js';
import { checkConfig, type ConfiguredPlugins } from './check-config.js';
import { createApp } from './http/app.js';
import { makePrometheusMetrics } from './http/ops/prometheus-metrics.js';
import { scimInterface } from './http/scim/scim-interface.js';
import { startServer } from './http/server.js';
import { createServiceState } from './http/service-state.js';
import { loadPlugins } from './load-plugins.js';
import { openSecretKey, type SecretKey } from './local-secrets.js';
import { createNumberVault } from './number-vault.js';
import { readPluginStates } from './plugin-states.js';
import { showMetrics } from './show-metrics.js';
import type { OutboxPlanner } from './pipeline/outbox-planner.js';
import { createJobWaits } from './pipeline/job-waits.js';
import { startPipeline } from './pipeline/pipeline.js';
import type { Plugin } from './plugin/contract.js';
import { createDeliveryEngine } from './plugin/delivery-engine.js';
import { logStreamFaults } from './plugin/log-stream-faults.js';
import { createRecoveries } from './plugin/recoveries.js';
import { createNameResolver, type NameResolver } from './plugin/outbound/name-resolver.js';
import { createHttpSender } from './plugin/outbound/undici-sender.js';
import { startPlugins } from './plugin/plugin-host.js';
import { createSecretBox } from './plugin/secret-box.js';
import { applyUserPatch } from './scim/patch/apply-patch.js';
import { connect } from './store/connect.js';
import { startEmbeddedMongo } from './store/embedded/start-embedded-mongo.js';
import { openStore, type Store } from './store/open-store.js';
import { DatabaseError } from './store/connect.js';
import { sweepRegularly } from './sweep-sms-members.js';
import { VERSION } from './version.js';

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
  /** Absent: the machine's. */
  readonly names?: NameResolver;
}

/** A gateway that serves. */
export interface Gateway {
  /** `http://host:port`, where it listens. */
  readonly url: string;
  /** By which clients know it. */
  readonly publicUrl: string;
  /** Empty where another gateway of the database has set it: then only its hash is known here. */
  readonly adminToken: string;
  /** Where the token is kept; null where the operator gave it, or where it is not known here. */
  readonly adminTokenPath: string | null;
  readonly madeNow: boolean;
  /**
   * Says at `/readyz` that it goes, and for half a second still serves whoever has not heard of it:
   * requests that were sent before they could know must not fail.
   */
  readonly drain: () => Promise<void>;
  /** Finishes what is under way, gives back what it holds, and ends the embedded database. */
  readonly stop: () => Promise<void>;
}

const SCIM_BODY_LIMIT = 8 * 1024 * 1024;
const PURGE_MS = 60_000;
const JOBS_MS = 2_000;
const DRAIN_MS = 500;

type End = () => unknown;

/** Things that were started, in order; ended in the opposite one. */
class Ends {
  readonly #ends: End[] = [];

  add(end: End): void {
    this.#ends.push(end);
  }

  async run(log: Logger): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        log.error({ err: error }, 'something did not stop as it should');
      }
    }
  }
}

/**
 * Puts the gateway together: the only place that knows every room. What was started is stopped
 * again when a later part does not start; the rejection says why, for the operator.
 */
export const startGateway = async (parts: GatewayParts): Promise<Gateway> => {
  const ends = new Ends();
  try {
    return await start(parts, ends);
  } catch (error) {
    await ends.run(parts.log);
    throw error;
  }
};

const start = async (parts: GatewayParts, ends: Ends): Promise<Gateway> => {
  const { loaded, log, env, jobWaitMs } = parts;
  const { config } = loaded;
  logStreamFaults(log);
  const own = randomUUID();
  const plugins = parts.plugins ?? (await configurePlugins(parts));
  const connection = await connect(await databaseUri({ loaded, log, env }, ends));
  ends.add(() => connection.close());
  const secretKey = await openSecretKey({ ...config, log });
  const secrets = createSecretBox(secretKey.key);
  const store = await openStore(connection, {
    own,
    secrets,
    plugins: plugins.enabled.map(({ name }) => name),
    keepEventsMs: config.retention.events,
    keepLogMs: config.retention.commandLog,
    rateLimit: config.rateLimit.perMinute,
    log,
  });
  ends.add(store.close);

  // A circle: plugins submit to the pipeline, the pipeline plans by their subscribers and decides by
  // their rules. Both ends exist before the first request.
  const pipeline = startPipeline({
    store: store.commits,
    outbox: planBy(() => engine),
    rules: {
      applyPatch: applyUserPatch,
      pluginRule: (plugin, change) => running.rule(plugin, change),
      describeRecord: (record) => running.describe(record),
    },
    log,
  });

  const resolver = parts.names ?? createNameResolver();
  ends.add(resolver.close);
  const metrics = makePrometheusMetrics(log);
  const running = await startPlugins(plugins.enabled, {
    submit: pipeline.submit,
    recordsOf: store.recordsOf,
    notesOf: store.notesOf,
    collectionOf: store.collectionOf,
    deliveriesOf: store.deliveriesOf,
    actions: store.actions,
    leases: store.leases,
    jobs: store.pluginJobs,
    instanceId: own,
    secrets,
    metrics,
    senderFor: (policy) =>
      createHttpSender({
        ...policy,
        userAgent: `Rollgate/${VERSION}`,
        resolve: resolver.resolve,
      }),
    now: store.instances.databaseTime,
    events: store.events,
    events$: pipeline.events$,
    logOf: (plugin) => log.child({ plugin }),
  });
  ends.add(running.stop);

  const engine = createDeliveryEngine({
    subscribers: running.subscribers,
    store: store.outbox,
    owner: own,
    othersAlive: () => store.instances.alive() > 1,
    timesExpired: store.instances.timesBuried,
    isBusy: pipeline.isBusy,
    log: log.child({ part: 'deliveries' }),
  });
  engine.start();
  ends.add(engine.stop);
  const recoveries = createRecoveries({
    subscribers: running.subscribers,
    store: store.recoveries,
    owner: own,
    log: log.child({ part: 'deliveries' }),
  });
  recoveries.start();
  ends.add(recoveries.stop);
  ends.add(pipeline.drain);

  const awaitJobs = createJobWaits({
    findSome: store.jobs.findSome,
    steps$: pipeline.jobSteps$,
    log,
    ...(jobWaitMs !== undefined && { waitMs: jobWaitMs }),
  });

  const state = createServiceState('starting');
  showMetrics(metrics, { engine, pipeline, instances: store.instances });
  const adminTokens = createAdminTokens({
    configured: config.adminToken,
    dataDir: config.dataDir,
    store: store.adminToken,
    secretKey: secretKey.key,
    log,
  });
  const publicUrl = (): string => config.publicUrl ?? server.url;
  const edge = createApp({
    log,
    metrics,
    state,
    isReady: store.isReady,
    submit: pipeline.submit,
    preview: pipeline.preview,
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
    explain: store.explain,
    plugins: () => readPluginStates({ configured: plugins, running, gauges: engine.gauges }),
    rateLimiter: store.rateLimiter,
    failedAuthenticationsPerMinute: config.rateLimit.failedAuthenticationsPerMinute,
    adminTokens,
    publicUrl,
    version: VERSION,
    extensions: running.extensions,
    scim: scimInterface({
      users: store.users,
      groups: store.groups,
      submit: pipeline.submit,
      preview: pipeline.preview,
      waiting: { awaitJobs, leaving: state.drainSignal },
      publicUrl,
      bodyLimit: SCIM_BODY_LIMIT,
      features: {
        bulk: {
          supported: true,
          maxOperations: config.scim.bulk.maxOperations,
          maxPayloadSize: SCIM_BODY_LIMIT,
        },
      },
    }),
  });
  ends.add(edge.stop);
  // A tenant's first group is in its users' answers at once.
  const firstGroups = pipeline.events$.subscribe({
    next: ({ name, tenantId }) => {
      if (name === 'group.created') edge.keys.forgetTenant(tenantId);
    },
    error: (error: unknown) => log.error({ err: error }, 'the event stream has ended'),
  });
  ends.add(() => firstGroups.unsubscribe());
  const server = await startServer((request, response) => void edge.app(request, response), {
    host: config.host,
    port: config.port,
    state,
  });
  ends.add(() =>
    server.stop({
      graceMs: state.phase() === 'starting' ? 0 : config.shutdown.graceSeconds * 1_000,
    }),
  );
  // Only after the port is bound: a start that fails must leave no new secrets behind. Until both are
  // done, requests get 503.
  await keepSecretKey(secretKey, store);
  const token = await adminTokens.agree();
  ends.add(purgeRegularly(store.purge, log));
  ends.add(takeUpJobsRegularly(pipeline.takeUpJobs, log));
  const { removeEndedAfter } = config.sms;
  if (removeEndedAfter !== null)
    ends.add(
      sweepRegularly({
        smsLists: store.smsLists,
        submit: pipeline.submit,
        log,
        after: removeEndedAfter,
        now: store.instances.databaseTime,
      }),
    );
  running.startWork();
  state.serve();
  log.info({ url: server.url, version: VERSION, instance: own }, 'serving');

  return {
    url: server.url,
    publicUrl: publicUrl(),
    ...token,
    drain: async () => {
      state.drain();
      await wait(DRAIN_MS);
      await readWhatCame();
    },
    stop: () => ends.run(log),
  };
};

const configurePlugins = async ({
  loaded: { options },
  builtIns,
}: GatewayParts): Promise<ConfiguredPlugins> =>
  checkConfig(options, await loadPlugins(options, builtIns)).plugins;

/**
 * What has come by now is served, however long the machine kept us from it: the timers of a turn of
 * the event loop come before what is to be read. In one turn a connection is accepted, in the next
 * one its request is read.
 */
const readWhatCame = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) await turn();
};

/**
 * Stores a new key before the database is marked with it, for a mark whose key is lost could not be
 * undone. The file goes again only where the database is surely another key's.
 */
const keepSecretKey = async (secretKey: SecretKey, store: Store): Promise<void> => {
  const takeAway = await secretKey.keep();
  try {
    await store.claimSecretKey();
  } catch (error) {
    if (error instanceof DatabaseError) await takeAway();
    throw error;
  }
};

/** The operator's database, else one of our own. */
const databaseUri = async (
  { loaded: { config }, log, env }: GatewayParts,
  ends: Ends,
): Promise<string> => {
  if (config.mongodb.uri) return config.mongodb.uri.reveal();
  const mongo = await startEmbeddedMongo({ dataDir: config.dataDir, log, env });
  ends.add(mongo.stop);
  return mongo.uri;
};

/** The engine as the pipeline sees it, before there is one. */
const planBy = (engine: () => OutboxPlanner): OutboxPlanner => ({
  prepare: (tenant) => engine().prepare(tenant),
  plan: (...asked) => engine().plan(...asked),
  committed: (...rows) => engine().committed(...rows),
  abandoned: (rows, written) => engine().abandoned(rows, written),
});

/** Goes on with large changes that a gateway has left unfinished; returns how to stop. */
const takeUpJobsRegularly = (takeUp: () => Promise<void>, log: Logger): (() => void) => {
  const run = (): void => {
    takeUp().catch((error: unknown) => {
      log.warn({ err: error }, 'unfinished jobs could not be looked for; trying again');
    });
  };
  run();
  const timer = setInterval(run, JOBS_MS);
  timer.unref();
  return () => clearInterval(timer);
};

/** Clears what deleted tenants left, now and then; returns how to stop. */
const purgeRegularly = (purge: () => Promise<readonly string[]>, log: Logger): (() => void) => {
  const run = (): void => {
    purge()
      .then((purged) => {
        if (purged.length > 0) log.info({ tenants: purged }, 'cleared what deleted tenants left');
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'what deleted tenants left could not be cleared; trying again');
      });
  };
  run();
  const timer = setInterval(run, PURGE_MS);
  timer.unref();
  return () => clearInterval(timer);
};

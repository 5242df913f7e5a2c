import { accentShades } from '../../config/accent-colour.js';
import type { LoadedConfig } from '../../config/load-config.js';
import { createApp, type Edge } from '../http/app.js';
import type { ServiceState } from '../http/service-state.js';
import { createJobWaits } from '../pipeline/jobs.js';
import { VERSION } from '../process/program.js';
import type { OwnAdminTokens } from '../secrets/admin-tokens.js';
import type { SecretKey } from '../secrets/local-secrets.js';
import { createNumberVault } from '../sms/phone-numbers.js';
import { openOpenIdProvider } from './openid-provider.js';
import { readLogo } from './read-logo.js';
import { createReadSystem, readPluginStates } from './read-system.js';
import { registerMetrics } from './register-metrics.js';
import type { Core, CoreParts } from './start-core.js';

/** Where clients find the gateway: as configured, or where it listens, once it does. */
export const createAddress = (configured: string | null) => {
  let url = '';
  return {
    publicUrl: (): string => configured ?? url,
    listenAt: (given: string): void => {
      url = given;
    },
  };
};

type Address = ReturnType<typeof createAddress>;

interface EdgeFoundation extends Omit<CoreParts, 'publicUrl'> {
  readonly loaded: LoadedConfig;
  readonly secretKey: SecretKey;
  /** How long a response waits for its job, in milliseconds; absent: 20 s. */
  readonly jobWaitMs?: number;
  /** Absent: the database's clock. */
  readonly now?: () => Date;
}

interface EdgeParts {
  readonly state: ServiceState;
  readonly address: Address;
  readonly adminTokens: OwnAdminTokens;
}

/** The HTTP interfaces; no port is bound yet. */
export const buildEdge = async (
  { loaded: { config }, log, jobWaitMs, instanceId, ...foundation }: EdgeFoundation,
  { pipeline, running, stream, metrics }: Core,
  { state, address, adminTokens }: EdgeParts,
): Promise<Edge> => {
  const { store, plugins, secrets, secretKey, tracing } = foundation;
  const { now = store.instances.databaseTime } = foundation;
  const awaitJobs = createJobWaits({
    findByIds: store.jobs.findByIds,
    steps$: pipeline.jobSteps$,
    log,
    ...(jobWaitMs !== undefined && { waitMs: jobWaitMs }),
  });

  registerMetrics(metrics, { stream, pipeline, instances: store.instances });
  const pluginStates = () =>
    readPluginStates({ configured: plugins, running, gauges: stream.gauges });
  const { name, logo, accent } = config.branding;
  const provider = await openOpenIdProvider(config.operators.oidc, log, foundation.proxy);
  return createApp({
    ...store,
    log,
    metrics,
    state,
    submit: pipeline.submit,
    preview: pipeline.preview,
    isBusy: pipeline.isBusy,
    awaitJobs,
    numbers: createNumberVault({ secrets, secretKey: secretKey.key }),
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
    failedAuthenticationsPerMinute: config.rateLimit.failedAuthenticationsPerMinute,
    trustedProxies: config.trustedProxies,
    adminTokens,
    sessionLifetime: config.operators.sessions,
    operatorSignIn: provider && { provider, roles: config.operators.oidc.roles },
    branding: {
      name,
      logo: logo === null ? null : readLogo(logo, process.cwd()),
      accent: accent === null ? null : accentShades(accent),
    },
    seal: secrets,
    now,
    publicUrl: address.publicUrl,
    version: VERSION,
    tracing,
    extensions: running.extensions,
    scim: {
      users: store.users,
      groups: store.groups,
      events: store.events,
      roles: store.roles,
      maxBulkOperations: config.scim.bulk.maxOperations,
    },
  });
};

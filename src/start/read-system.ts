import type {
  PluginLag,
  PluginState,
  ReadSystem,
  SystemCheck,
  SystemDatabase,
  SystemInstance,
} from '../ports/system.js';
import type { ConfiguredPlugins } from './check-config.js';
import type { StreamGauges } from '../plugin/stream/stream-gauges.js';
import type { RunningPlugins } from '../plugin/host/plugin-host.js';

interface PluginStateParts {
  readonly configured: ConfiguredPlugins;
  readonly running: Pick<RunningPlugins, 'status' | 'subscribers'>;
  readonly gauges: StreamGauges;
}

/** State, health and lag of every plugin that the configuration names. */
export const readPluginStates = async ({
  configured,
  running,
  gauges,
}: PluginStateParts): Promise<readonly PluginState[]> => {
  const [statuses, { pending, overdueSeconds, lastFailures }] = await Promise.all([
    running.status(),
    gauges.snapshot(),
  ]);
  const lagOf = (name: string): PluginLag | null =>
    running.subscribers.has(name)
      ? {
          pending: pending && (pending.get(name) ?? 0),
          overdueSeconds: overdueSeconds && (overdueSeconds.get(name) ?? 0),
        }
      : null;
  const lastFailureOf = (name: string): PluginState['lastFailure'] => {
    const failure = lastFailures.get(name);
    return failure ? { at: new Date(Date.now() - failure.agoMs), reason: failure.reason } : null;
  };
  const useOf = (name: string): string | null =>
    configured.enabled.find((plugin) => plugin.name === name)?.use ?? null;
  return [
    ...statuses.map((status) => ({
      ...status,
      use: useOf(status.name),
      state: status.health.ok ? ('running' as const) : ('degraded' as const),
      lag: lagOf(status.name),
      lastFailure: lastFailureOf(status.name),
    })),
    ...configured.disabled.map(({ name, use = null }) => ({
      name,
      use,
      title: null,
      state: 'disabled' as const,
      health: null,
      lag: null,
      lastFailure: null,
    })),
  ];
};

interface SystemParts {
  readonly version: string;
  readonly node: string;
  readonly instanceId: string;
  readonly isEmbedded: boolean;
  readonly instances: () => Promise<readonly SystemInstance[]>;
  readonly database: () => Promise<SystemDatabase>;
  readonly plugins: () => Promise<readonly PluginState[]>;
  /** As configured; null: the listening address. */
  readonly publicUrl: string | null;
  readonly databaseTime: () => Date;
  readonly now: () => Date;
}

const CACHED_MS = 2_000;
/** Every change waits for the database several times. */
const SLOW_MS = 100;
/** As in `rollgate doctor`. */
const SKEW_MS = 2_000;
const OVERDUE_SECONDS = 60;

type Verdict = Pick<SystemCheck, 'status' | 'message' | 'action'>;

const ok = (message: string): Verdict => ({ status: 'ok', message, action: null });
const warn = (message: string, action: string): Verdict => ({ status: 'warn', message, action });

const checkDatabase = ({ pingMs }: SystemDatabase): Verdict => {
  const message = `It responded in ${pingMs} ms.`;
  return pingMs <= SLOW_MS
    ? ok(message)
    : warn(message, 'Look for load on its primary and for network problems.');
};

const checkVersion = ({ version, isSupported }: SystemDatabase): Verdict =>
  isSupported
    ? ok(`MongoDB ${version}.`)
    : {
        status: 'fail',
        message: `MongoDB ${version} is not supported.`,
        action: 'Upgrade it, one release at a time.',
      };

const checkMembers = ({ replicaSet, members }: SystemDatabase, isEmbedded: boolean): Verdict => {
  if (isEmbedded) return ok('Embedded, for one gateway on this machine. Back up its data folder.');
  if (replicaSet === null) return ok('A sharded cluster.');
  const message = `The replica set ${replicaSet} has ${members.length === 1 ? 'one member' : `${members.length} members`}.`;
  return members.length >= 3
    ? ok(message)
    : warn(message, 'Add members until there are three: then it survives the loss of one.');
};

const checkGateways = (instances: readonly SystemInstance[]): Verdict => {
  const running = instances.length === 1 ? 'One gateway runs' : `${instances.length} gateways run`;
  const versions = [...new Set(instances.map(({ version }) => version ?? 'an earlier version'))];
  return versions.length <= 1
    ? ok(`${running}.`)
    : warn(
        `${running}, with different versions: ${versions.join(', ')}.`,
        'Finish the upgrade: restart the older ones with the new version.',
      );
};

const checkClock = (skewMs: number): Verdict =>
  Math.abs(skewMs) <= SKEW_MS
    ? ok('The clock of this machine agrees with that of the database.')
    : warn(
        `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1_000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of the database.`,
        'Set it by NTP. Signed deliveries contain the time.',
      );

const checkAddress = (publicUrl: string | null): Verdict => {
  if (publicUrl === null)
    return warn(
      'No public URL is set: links and base URLs show the listening address.',
      'Set publicUrl (ROLLGATE_PUBLIC_URL) to the address that identity providers use.',
    );
  const { protocol, hostname } = new URL(publicUrl);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || isLocal
    ? ok(publicUrl)
    : warn(`${publicUrl} is not encrypted.`, 'Put a TLS proxy in front, and use its https URL.');
};

const checkPlugin = ({ health, lag }: PluginState): Verdict => {
  if (health && !health.ok)
    return warn(health.message, 'See the log of the gateway for the reason.');
  const pending = lag?.pending ?? 0;
  const overdue = lag?.overdueSeconds ?? 0;
  if (overdue <= OVERDUE_SECONDS)
    return ok(pending === 0 ? (health?.message ?? 'Running.') : `${pending} pending deliveries.`);
  return warn(
    `${pending} pending deliveries, the oldest overdue for ${Math.round(overdue)} s.`,
    'A receiver is slow or does not respond: see its deliveries.',
  );
};

/** Reads the state of the system at most once in 2 s, however often it is asked for. */
export const createReadSystem = (parts: SystemParts): ReadSystem => {
  const { version, node, instanceId, isEmbedded, now } = parts;
  const startedAt = now();

  const read: ReadSystem = async () => {
    const [instances, database, plugins] = await Promise.all([
      parts.instances(),
      parts.database(),
      parts.plugins(),
    ]);
    const skewMs = now().getTime() - parts.databaseTime().getTime();
    const checks: readonly SystemCheck[] = [
      { id: 'database', title: 'Database', ...checkDatabase(database) },
      { id: 'database-version', title: 'Database version', ...checkVersion(database) },
      { id: 'replica-set', title: 'Replica set', ...checkMembers(database, isEmbedded) },
      { id: 'gateways', title: 'Gateways', ...checkGateways(instances) },
      { id: 'clock', title: 'Clock', ...checkClock(skewMs) },
      { id: 'public-url', title: 'Public URL', ...checkAddress(parts.publicUrl) },
      ...plugins
        .filter(({ state }) => state !== 'disabled')
        .map((plugin) => ({
          id: `plugin-${plugin.name}`,
          title: plugin.title ?? plugin.name,
          ...checkPlugin(plugin),
        })),
    ];
    const kind = isEmbedded ? ('embedded' as const) : ('external' as const);
    return {
      version,
      node,
      startedAt,
      instanceId,
      instances,
      database: { ...database, kind },
      checks,
    };
  };

  let last: { readonly at: number; readonly state: ReturnType<ReadSystem> } | undefined;
  return () => {
    const at = performance.now();
    if (last && at - last.at < CACHED_MS) return last.state;
    const state = read();
    last = { at, state };
    // A failure is not remembered.
    state.catch(() => (last = undefined));
    return state;
  };
};

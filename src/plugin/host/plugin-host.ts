import type { Observable } from 'rxjs';
import type { EventReader } from '../../ports/tenants.js';
import type { Extensions } from '../../routes/extensions.js';
import type { SourceNetwork } from '../contract/connector-contract.js';
import type { Metrics } from '../../ports/telemetry.js';
import type { LeaseStore, PluginCollection } from '../../ports/plugin-storage.js';
import type { DescribedRecord, PluginRule } from '../../domain/kernel/decider.js';
import type { DomainEvent } from '../../domain/events.js';
import type { RecordId } from '../../domain/kernel/ids.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import { type Scope, SCOPES } from '../../domain/scopes.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { newId, resultOf, type Submit } from '../../pipeline/submit.js';
import { checkProvided } from './check-provided.js';
import { type Clock, systemClock } from '../contract/clock.js';
import type {
  DurableSubscriber,
  EventSubscriber,
  Plugin,
  PluginHealth,
  RunningPlugin,
} from '../contract/contract.js';
import { type ActionMemory, createPluginActions } from './plugin-actions.js';
import { holdLease, type LeaseParts, runTimers, type RunningTimers } from './run-timers.js';
import type {
  PluginDeliveries,
  PluginHost,
  PluginNotes,
  PluginRecords,
  SecretBox,
} from '../contract/host.js';
import type { PluginLog, PluginMetrics } from '../contract/extension.js';
import { isConnectorRunner, type RunnerParts } from '../connector-runtime/connector-runner.js';
import type { OutboundPolicy } from '../contract/http-sender.js';
import { liveEvents } from './event-stream.js';
import type { ClosableSender } from '../outbound/https-sender.js';
import { withinTime } from '../../process/timers.js';

/** An enabled section of the configuration: its plugin and its settings, checked. */
export interface PluginInstance {
  /** The key of the section. */
  readonly name: string;
  readonly plugin: Plugin;
  readonly settings: unknown;
}

/** What the gateway gives to its plugins. */
export interface HostParts {
  readonly submit: Submit;
  /** For the plugin that runs connectors; its commands end when the signal aborts. */
  readonly runnerParts: (signal: AbortSignal) => RunnerParts;
  readonly recordsOf: (plugin: string) => Pick<PluginRecords, 'list' | 'find'>;
  readonly notesOf: (plugin: string) => PluginNotes;
  readonly collectionOf: (plugin: string, collection: string) => PluginCollection;
  readonly deliveriesOf: (plugin: string) => PluginDeliveries;
  readonly actions: ActionMemory;
  readonly leases: LeaseStore;
  /** This instance: a new UUID at each start. */
  readonly instanceId: string;
  readonly secrets: SecretBox;
  readonly metrics: Pick<Metrics, 'gauge' | 'counter'>;
  readonly senderFor: (policy: OutboundPolicy) => ClosableSender;
  /** Its connections end when the signal aborts. */
  readonly networkFor: (policy: OutboundPolicy, signal: AbortSignal) => SourceNetwork;
  readonly attention: PluginHost['attention'];
  readonly publicUrl: () => string;
  /** The database's time. */
  readonly now: () => Date;
  readonly events: EventReader;
  /** The live stream. */
  readonly events$: Observable<DomainEvent>;
  readonly logOf: (plugin: string) => PluginLog;
  /** Absent: the system's. */
  readonly clock?: Clock;
}

export interface PluginStatus {
  readonly name: string;
  readonly title: string;
  readonly version?: string;
  readonly health: PluginHealth;
}

/** The plugins that run. */
export interface RunningPlugins {
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  /** What they add to the edge. */
  readonly extensions: Extensions;
  readonly rule: (plugin: string, change: string) => PluginRule | undefined;
  readonly describe: (record: PluginRecord) => DescribedRecord | undefined;
  readonly status: () => Promise<readonly PluginStatus[]>;
  /** Starts timers; nothing of a plugin runs unasked before. */
  readonly startWork: () => void;
  /**
   * Ends timers, then each plugin within 5 s, then its connections within 5 s; failures are
   * logged. Never rejects.
   */
  readonly stop: () => Promise<void>;
}

const START_MS = 30_000;
const STOP_MS = 5_000;
const HEALTH_MS = 1_000;
/** For an overview or a search. */
const READ_MS = 1_000;

/** A plugin cannot run; the message is a sentence for the operator. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
}

interface Started {
  readonly instance: PluginInstance;
  readonly running: RunningPlugin;
  readonly sender: ClosableSender;
  readonly stopping: AbortController;
  timers?: RunningTimers;
}

/**
 * Starts the plugins one after another; one that fails to start stops those before it and rejects.
 */
export const startPlugins = async (
  instances: readonly PluginInstance[],
  parts: HostParts,
): Promise<RunningPlugins> => {
  const started: Started[] = [];
  try {
    for (const instance of instances) started.push(await start(instance, parts));
    const [fault] = checkProvided(
      started.map(({ instance: { name, plugin }, running }) => ({ name, plugin, running })),
    );
    if (fault !== undefined) throw new PluginError(fault);
  } catch (error) {
    await stopAll(started, parts);
    throw error;
  }
  return runningOf(started, parts);
};

const start = async (instance: PluginInstance, parts: HostParts): Promise<Started> => {
  const { name, plugin } = instance;
  const sender = openSender(instance, parts);
  const stopping = new AbortController();
  const lease = leaseParts(name, stopping.signal, parts);
  try {
    const host = hostFor(instance, { ...parts, sender, lease });
    const running = await withinTime(START_MS, async () => plugin.start(host));
    return { instance, running, sender, stopping };
  } catch (error) {
    stopping.abort();
    await closeSender(name, sender, parts);
    const why = error instanceof Error ? error.message : String(error);
    throw new PluginError(`The plugin ${name} did not start: ${why}`, { cause: error });
  }
};

const leaseParts = (name: string, stopping: AbortSignal, parts: HostParts): LeaseParts => ({
  store: parts.leases,
  owner: parts.instanceId,
  stopping,
  clock: parts.clock ?? systemClock,
  log: parts.logOf(name),
});

const startWork = (started: Started, parts: HostParts): void => {
  const { instance, running, stopping } = started;
  const { name } = instance;
  started.timers = runTimers(name, running.timers ?? [], leaseParts(name, stopping.signal, parts));
};

/** What a sender cannot use, such as a file of authorities, a setting of the plugin has named. */
const openSender = (
  { name, plugin: { outbound }, settings }: PluginInstance,
  { senderFor }: HostParts,
): ClosableSender => {
  try {
    return senderFor(outbound?.(settings) ?? {});
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PluginError(
      `The plugin ${name} did not start: ${why} Correct plugins.${name}; "rollgate config show" ` +
        'shows where it is set.',
      { cause: error },
    );
  }
};

interface InstanceParts extends HostParts {
  readonly sender: ClosableSender;
  readonly lease: LeaseParts;
}

const hostFor = ({ name, plugin, settings }: PluginInstance, parts: InstanceParts): PluginHost => ({
  name,
  settings,
  log: parts.logOf(name),
  records: recordsFor(name, plugin, parts),
  notes: parts.notesOf(name),
  collection: (collection) => {
    if (plugin.collections?.includes(collection)) return parts.collectionOf(name, collection);
    throw new PluginError(`The plugin ${name} does not declare the collection "${collection}".`);
  },
  deliveries: parts.deliveriesOf(name),
  ...(isConnectorRunner(plugin) && parts.runnerParts(parts.lease.stopping)),
  actions: createPluginActions(parts.actions),
  leases: {
    run: async (lease, work) =>
      (await holdLease(parts.lease, { lease: `lease:${name}:${lease}` }, work)) === undefined,
  },
  secrets: parts.secrets,
  http: parts.sender,
  network: parts.networkFor(plugin.outbound?.(settings) ?? {}, parts.lease.stopping),
  attention: parts.attention,
  publicUrl: parts.publicUrl,
  metrics: metricsFor(name, parts.metrics),
  events: { ...parts.events, live: (signal) => liveEvents(parts.events$, signal) },
  events$: parts.events$,
  newId: () => newId<RecordId>(),
  now: parts.now,
});

/** Metrics under the name of a plugin or connector. */
export const metricsFor = (
  name: string,
  metrics: Pick<Metrics, 'gauge' | 'counter'>,
): PluginMetrics => {
  const prefixed = <Description extends { readonly name: string }>(
    description: Description,
  ): Description => ({
    ...description,
    name: `rollgate_${name.replaceAll('-', '_')}_${description.name}`,
  });
  return {
    gauge: (description, read) => metrics.gauge(prefixed(description), read),
    counter: (description) => metrics.counter(prefixed(description)),
  };
};

const recordsFor = (
  name: string,
  { changeScope }: Plugin,
  { recordsOf, submit }: Pick<HostParts, 'recordsOf' | 'submit'>,
): PluginRecords => ({
  ...recordsOf(name),
  change: async ({ submit: requestSubmit = submit, ...request }, change, input) =>
    resultOf(
      await requestSubmit<'plugin.change'>({
        ...request,
        command: {
          type: 'plugin.change',
          plugin: name,
          change,
          recordId: newId<RecordId>(),
          input,
          scope: changeScope ?? null,
        },
      }),
    ),
});

const runningOf = (started: readonly Started[], parts: HostParts): RunningPlugins => {
  const byName = new Map(started.map(({ instance, running }) => [instance.name, running]));
  return {
    subscribers: new Map(
      started.flatMap(({ instance, running }) =>
        running.subscriber ? [[instance.name, withDefaults(running.subscriber)] as const] : [],
      ),
    ),
    extensions: extensionsOf(started, parts),
    rule: (plugin, change) => {
      const rules = byName.get(plugin)?.rules;
      return rules && Object.hasOwn(rules, change) ? rules[change] : undefined;
    },
    describe: (record) => {
      try {
        return byName.get(record.plugin)?.describe?.(record);
      } catch (error) {
        // The change itself is not affected.
        parts.logOf(record.plugin).error({ err: error }, 'the plugin cannot describe a record');
        return undefined;
      }
    },
    status: () => Promise.all(started.map(statusOf)),
    startWork: () => {
      for (const one of started) startWork(one, parts);
    },
    stop: () => stopAll(started, parts),
  };
};

/** In milliseconds: about 31 hours in all. */
const RETRIES = [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000];

const withDefaults = ({ events, ...subscriber }: EventSubscriber): DurableSubscriber => ({
  subscriptions: () =>
    Promise.resolve([
      { key: 'all', ...(events && { events: new Map(events.map((name) => [name, 0])) }) },
    ]),
  retry: RETRIES,
  concurrency: 1,
  ...subscriber,
  isByRecord: subscriber.subscriptions !== undefined,
});

const extensionsOf = (started: readonly Started[], { logOf }: HostParts): Extensions => {
  // Sections with the same plugin share what it declares.
  const plugins = [...new Set(started.map(({ instance }) => instance.plugin))];
  const scopes: readonly Scope[] = [
    ...SCOPES,
    ...plugins.flatMap(({ scopes: declared = [] }) => declared.map(({ scope }) => scope)),
  ];
  /** An answer without this plugin's part is better than none. */
  const withoutFailure =
    <Asked, Result>(
      name: string,
      what: string,
      read: (tenant: Tenant, asked: Asked) => Promise<readonly Result[]>,
    ) =>
    (tenant: Tenant, asked: Asked): Promise<readonly Result[]> =>
      withinTime(READ_MS, async () => read(tenant, asked)).catch((error: unknown) => {
        logOf(name).warn({ err: error }, `the ${what} of the plugin failed`);
        return [];
      });
  return {
    routes: started.flatMap(({ running }) => running.routes ?? []),
    sites: started.flatMap(({ running }) => running.sites ?? []),
    scopes,
    refusals: plugins.flatMap(({ refusals = [] }) => refusals),
    tags: Object.assign({}, ...plugins.map(({ tags = {} }) => tags)) as Extensions['tags'],
    posts: plugins.flatMap(({ posts }) => posts ?? []),
    overviews: started.flatMap(({ instance: { name }, running: { overview } }) =>
      overview
        ? [
            {
              ...overview,
              name,
              read: (tenant: Tenant) => withinTime(READ_MS, async () => overview.read(tenant)),
            },
          ]
        : [],
    ),
    searches: started.flatMap(({ instance: { name }, running: { search } }) =>
      search ? [withoutFailure(name, 'search', search)] : [],
    ),
    explains: started.flatMap(({ instance: { name }, running: { explain } }) =>
      explain ? [withoutFailure(name, 'explanation', explain)] : [],
    ),
  };
};

const statusOf = async ({ instance, running }: Started): Promise<PluginStatus> => {
  const {
    name,
    plugin: { title, version },
  } = instance;
  const described = { name, title, ...(version !== undefined && { version }) };
  const { health } = running;
  if (!health) return { ...described, health: { ok: true, message: 'Running.' } };
  try {
    return { ...described, health: await withinTime(HEALTH_MS, async () => health()) };
  } catch {
    return { ...described, health: { ok: false, message: 'The health check failed.' } };
  }
};

const stopAll = async (started: readonly Started[], { logOf }: HostParts): Promise<void> => {
  for (const { stopping } of started) stopping.abort(new Error('The gateway stops.'));
  await Promise.all(
    started.map(async ({ instance, running, sender, timers }) => {
      try {
        await withinTime(STOP_MS, async () => {
          await timers?.ended();
          await running.stop?.();
        });
      } catch (error) {
        logOf(instance.name).error({ err: error }, 'the plugin did not stop in time');
      }
      await closeSender(instance.name, sender, { logOf });
    }),
  );
};

const closeSender = (
  name: string,
  sender: ClosableSender,
  { logOf }: Pick<HostParts, 'logOf'>,
): Promise<void> =>
  withinTime(STOP_MS, () => sender.close()).catch((error: unknown) =>
    logOf(name).error({ err: error }, 'the connections of the plugin did not close'),
  );

import type { Observable } from 'rxjs';
import type { z } from 'zod';
import type { Metrics } from '../api/metrics.js';
import type { Route } from '../api/route.js';
import type { DescribedRecord, PluginRule } from '../domain/decide/decider.js';
import type { DomainEvent } from '../domain/events.js';
import type { RecordId } from '../domain/ids.js';
import type { PluginRecord } from '../domain/plugin-record.js';
import { newId } from '../pipeline/new-id.js';
import { resultOf, type Submit } from '../pipeline/submit.js';
import type {
  DurableSubscriber,
  Plugin,
  PluginDeliveries,
  PluginHealth,
  PluginHost,
  PluginLog,
  PluginMetrics,
  PluginNotes,
  PluginRecords,
  RunningPlugin,
  SecretBox,
} from './contract.js';
import { type ActionMemory, createPluginActions } from './do-once.js';
import type { OutboundPolicy } from './http-sender.js';
import type { ClosableSender } from './outbound/undici-sender.js';
import { withinTime } from './within-time.js';

/** What the house gives to its plugins. */
export interface HostParts {
  readonly submit: Submit;
  readonly recordsOf: (plugin: string) => Pick<PluginRecords, 'list' | 'find'>;
  readonly notesOf: (plugin: string) => PluginNotes;
  readonly deliveriesOf: (plugin: string) => PluginDeliveries;
  readonly actions: ActionMemory;
  readonly secrets: SecretBox;
  readonly metrics: Pick<Metrics, 'gauge' | 'counter'>;
  readonly senderFor: (policy: OutboundPolicy) => ClosableSender;
  /** The database's time. */
  readonly now: () => Date;
  /** The live stream. */
  readonly events$: Observable<DomainEvent>;
  readonly logOf: (plugin: string) => PluginLog;
  /** Checks a plugin's section of the configuration; throws a sentence that names the place. */
  readonly settingsOf: <Settings>(plugin: string, schema: z.ZodType<Settings>) => Settings;
}

export interface PluginStatus {
  readonly name: string;
  readonly title: string;
  readonly health: PluginHealth;
}

/** The plugins that run. */
export interface RunningPlugins {
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly routes: readonly Route[];
  readonly rule: (plugin: string, change: string) => PluginRule | undefined;
  readonly describe: (record: PluginRecord) => DescribedRecord | undefined;
  readonly status: () => Promise<readonly PluginStatus[]>;
  /** Each has 5 s; one that fails is logged and holds up nobody. Never rejects. */
  readonly stop: () => Promise<void>;
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const START_MS = 30_000;
const STOP_MS = 5_000;
const HEALTH_MS = 1_000;

/** A plugin cannot run; the message is a sentence for the operator. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
}

interface Started {
  readonly plugin: Plugin;
  readonly running: RunningPlugin;
  readonly sender: ClosableSender;
}

/**
 * Starts the plugins one after another. Settings are checked first, all of them, so that nothing
 * has started when a mistake is found; one that fails to start stops those before it and rejects.
 */
export const startPlugins = async (
  plugins: readonly Plugin[],
  parts: HostParts,
): Promise<RunningPlugins> => {
  refuseBadNames(plugins);
  const configured = plugins.map((plugin) => ({
    plugin,
    settings: parts.settingsOf(plugin.name, plugin.settings),
  }));
  const started: Started[] = [];
  for (const { plugin, settings } of configured) {
    try {
      started.push(await start(plugin, settings, parts));
    } catch (error) {
      await stopAll(started, parts);
      throw error;
    }
  }
  return runningOf(started, parts);
};

const refuseBadNames = (plugins: readonly Plugin[]): void => {
  const seen = new Set<string>();
  for (const { name } of plugins) {
    if (!NAME.test(name))
      throw new PluginError(
        `A plugin is named "${name}". Names are lower-case words, joined by hyphens.`,
      );
    if (seen.has(name))
      throw new PluginError(`Two plugins are named "${name}". Take one out of the list.`);
    seen.add(name);
  }
};

const start = async (plugin: Plugin, settings: unknown, parts: HostParts): Promise<Started> => {
  const { name } = plugin;
  const sender = openSender(plugin, settings, parts);
  try {
    const host = hostFor(plugin, settings, { ...parts, sender });
    const running = await withinTime(START_MS, async () => plugin.start(host));
    return { plugin, running, sender };
  } catch (error) {
    await sender.close();
    const why = error instanceof Error ? error.message : String(error);
    throw new PluginError(`The plugin ${name} did not start: ${why}`, { cause: error });
  }
};

/** What a sender cannot use, such as a file of authorities, a setting of the plugin has named. */
const openSender = (
  { name, outbound }: Plugin,
  settings: unknown,
  { senderFor }: HostParts,
): ClosableSender => {
  try {
    return senderFor(outbound?.(settings) ?? {});
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PluginError(
      `The plugin ${name} did not start: ${why} Correct plugins.${name}: "rollgate config show" ` +
        'tells who sets it.',
      { cause: error },
    );
  }
};

const hostFor = (
  { name }: Plugin,
  settings: unknown,
  parts: HostParts & { readonly sender: ClosableSender },
): PluginHost => ({
  settings,
  log: parts.logOf(name),
  records: recordsFor(name, parts),
  notes: parts.notesOf(name),
  deliveries: parts.deliveriesOf(name),
  actions: createPluginActions(parts.actions),
  secrets: parts.secrets,
  http: parts.sender,
  metrics: metricsFor(name, parts),
  events$: parts.events$,
  newId: () => newId<RecordId>(),
  now: parts.now,
});

/** Operators tell by its name whose number it is, and two plugins never speak of the same. */
const metricsFor = (plugin: string, { metrics }: HostParts): PluginMetrics => {
  const prefix = `rollgate_${plugin.replaceAll('-', '_')}_`;
  const requireOwn = (name: string): void => {
    if (!name.startsWith(prefix))
      throw new PluginError(`A metric is named "${name}". Let it begin with ${prefix}.`);
  };
  return {
    gauge: (description, read) => {
      requireOwn(description.name);
      metrics.gauge(description, read);
    },
    counter: (description) => {
      requireOwn(description.name);
      return metrics.counter(description);
    },
  };
};

const recordsFor = (plugin: string, { recordsOf, submit }: HostParts): PluginRecords => ({
  ...recordsOf(plugin),
  change: async ({ submit: ownWay = submit, ...request }, change, input) =>
    resultOf(
      await ownWay<'plugin.change'>({
        ...request,
        command: { type: 'plugin.change', plugin, change, recordId: newId<RecordId>(), input },
      }),
    ),
});

const runningOf = (started: readonly Started[], parts: HostParts): RunningPlugins => {
  const byName = new Map(started.map(({ plugin, running }) => [plugin.name, running]));
  return {
    subscribers: new Map(
      started.flatMap(({ plugin, running }) =>
        running.subscriber ? [[plugin.name, running.subscriber] as const] : [],
      ),
    ),
    routes: started.flatMap(({ running }) => running.routes ?? []),
    rule: (plugin, change) => {
      const rules = byName.get(plugin)?.rules;
      return rules && Object.hasOwn(rules, change) ? rules[change] : undefined;
    },
    describe: (record) => {
      try {
        return byName.get(record.plugin)?.describe?.(record);
      } catch (error) {
        // The change itself is none the worse for it.
        parts.logOf(record.plugin).error({ err: error }, 'the plugin cannot describe a record');
        return undefined;
      }
    },
    status: () => Promise.all(started.map(statusOf)),
    stop: () => stopAll(started, parts),
  };
};

const statusOf = async ({ plugin, running }: Started): Promise<PluginStatus> => {
  const { name, title } = plugin;
  const { health } = running;
  if (!health) return { name, title, health: { ok: true, message: 'It runs.' } };
  try {
    return { name, title, health: await withinTime(HEALTH_MS, async () => health()) };
  } catch {
    return { name, title, health: { ok: false, message: 'It does not say how it is.' } };
  }
};

const stopAll = async (started: readonly Started[], { logOf }: HostParts): Promise<void> => {
  await Promise.all(
    started.map(async ({ plugin, running, sender }) => {
      try {
        await withinTime(STOP_MS, async () => running.stop?.());
      } catch (error) {
        logOf(plugin.name).error({ err: error }, 'the plugin did not stop as it should');
      }
      await sender.close();
    }),
  );
};

import type { Logger } from 'pino';
import type { Rules } from '../domain/kernel/decider.js';
import { createPrometheusMetrics } from '../http/ops/prometheus-metrics.js';
import { createAttention } from '../http/resources/attention.js';
import type { CommittedBatch } from '../pipeline/batch.js';
import { type Pipeline, startPipeline } from '../pipeline/pipeline.js';
import { type Tracing, traceCommands } from '../pipeline/trace-commands.js';
import {
  type ConnectorInstance,
  type ConnectorParts,
  createConnectors,
} from '../plugin/connector-runtime/configured-connectors.js';
import { createConnectorCommands } from '../plugin/connector-runtime/connector-commands.js';
import { createSourceState } from '../plugin/connector-runtime/open-connector.js';
import { createSourceNetwork } from '../plugin/connector-runtime/source-network.js';
import { createSourceClock, systemClock } from '../plugin/contract/clock.js';
import { createDeliveryTraces } from '../plugin/stream/delivery-traces.js';
import {
  committedEvents,
  createEventStream,
  type EventStream,
} from '../plugin/stream/event-stream.js';
import { createPluginDeliveries } from '../plugin/stream/plugin-deliveries.js';
import {
  type HostParts,
  metricsFor,
  type RunningPlugins,
  startPlugins,
} from '../plugin/host/plugin-host.js';
import type { createSecretBox } from '../plugin/host/secret-box.js';
import { createAddressGuard } from '../plugin/outbound/address-guard.js';
import { createNameResolver, type NameResolver } from '../plugin/outbound/name-resolver.js';
import type { OutboundProxy } from '../plugin/outbound/outbound-proxy.js';
import { createHttpSender } from '../plugin/outbound/https-sender.js';
import { VERSION } from '../process/program.js';
import type { Store } from '../store/open-store.js';
import { type CheckedConnector, type ConfiguredPlugins } from './check-config.js';
import { CONNECTOR_PROGRAM } from './load-extensions.js';
import type { ShutdownStack } from './shutdown-stack.js';

export interface CoreParts {
  readonly log: Logger;
  readonly instanceId: string;
  readonly tracing: Tracing | undefined;
  readonly plugins: ConfiguredPlugins;
  readonly secrets: ReturnType<typeof createSecretBox>;
  readonly store: Store;
  readonly proxy: OutboundProxy | undefined;
  /** Absent: that of the machine. */
  readonly names?: NameResolver;
  readonly publicUrl: () => string;
}

const USER_AGENT = `Rollgate/${VERSION}`;

/** What runs behind the edge. */
export interface Core {
  readonly metrics: ReturnType<typeof createPrometheusMetrics>;
  readonly pipeline: Pipeline;
  readonly running: RunningPlugins;
  readonly stream: EventStream;
}

/** Starts the pipeline, the connectors, the plugins, and the deliveries to plugins, in this order. */
export const startCore = async (parts: CoreParts, shutdown: ShutdownStack): Promise<Core> => {
  const { log, store, instanceId, tracing, plugins, secrets, proxy } = parts;
  const deliveryTraces = tracing && createDeliveryTraces(tracing);
  const late = createLateParts();
  const pipeline = startPipeline({
    store: store.commits,
    deliver: (committed) => late.deliver(committed),
    rules: late.rules,
    ...(deliveryTraces && { traces: traceCommands(tracing, deliveryTraces.noteCause) }),
    log,
  });

  const { resolve, close } = parts.names ?? createNameResolver();
  shutdown.add(close);
  const metrics = createPrometheusMetrics(log);
  const clock = createSourceClock(() => new Date());
  const connectors = openConnectors(parts, metrics, { sourceClock: clock, resolve });
  shutdown.add(connectors.stop);
  const running = await startPlugins(plugins.enabled, {
    submit: pipeline.submit,
    runnerParts: (stopping) => ({
      connectors: connectors.list,
      commandsOf: createConnectorCommands({ ...pipeline, stopping, clock }),
      users: { ...store.userLookups, tenant: store.tenants.findBySlug },
    }),
    recordsOf: store.recordsOf,
    notesOf: store.notesOf,
    collectionOf: store.collectionOf,
    deliveriesOf: (plugin) =>
      createPluginDeliveries({
        store: store.deliveriesOf(plugin),
        subscriber: () => late.subscriber(plugin),
        onQueued: () => late.wakeStream(),
      }),
    actions: store.actions,
    leases: store.leases,
    instanceId,
    secrets,
    metrics,
    senderFor: (policy) => {
      const sender = createHttpSender({ ...policy, userAgent: USER_AGENT, resolve, proxy });
      return deliveryTraces ? deliveryTraces.propagating(sender) : sender;
    },
    networkFor: ({ allow = [] }, signal) =>
      createSourceNetwork({ guard: createAddressGuard(allow), resolve, signal }),
    attention: (slugs) => late.attention(slugs),
    publicUrl: parts.publicUrl,
    now: store.instances.databaseTime,
    events: store.events,
    events$: pipeline.events$,
    logOf: (plugin) => log.child({ plugin }),
  });
  shutdown.add(running.stop);

  const stream = createEventStream({
    subscribers: running.subscribers,
    store: store.stream,
    owner: instanceId,
    gateways: store.instances,
    databaseTime: store.instances.databaseTime,
    isBusy: pipeline.isBusy,
    traces: deliveryTraces,
    log: log.child({ part: 'deliveries' }),
  });
  stream.start();
  shutdown.add(stream.stop);
  shutdown.add(pipeline.drain);

  const attention = createAttention({
    ...store,
    extensions: running.extensions,
    now: store.instances.databaseTime,
  });
  late.set({ running, stream, attention: attention.each });
  return { metrics, pipeline, running, stream };
};

/** The configured connectors, none of them running; logs which cannot be used. */
const openConnectors = (
  { log, store, plugins, proxy }: CoreParts,
  metrics: Core['metrics'],
  ways: Pick<ConnectorParts, 'sourceClock' | 'resolve'>,
): ReturnType<typeof createConnectors> => {
  const connectors = createConnectors(plugins.connectors.map(instanceOf), {
    of: (name) => ({
      log: log.child({ connector: name }),
      state: createSourceState(name, store.collectionOf('connector-host', 'state')),
      metrics: metricsFor(`connector-${name}`, metrics),
    }),
    ...ways,
    clock: systemClock,
    program: CONNECTOR_PROGRAM,
    proxy,
    userAgent: USER_AGENT,
  });
  for (const { name, problem } of connectors.list)
    if (problem !== null) log.error({ connector: name, problem }, 'a connector cannot be used');
  return connectors;
};

interface LateParts {
  readonly running: Pick<RunningPlugins, 'rule' | 'describe' | 'subscribers'>;
  readonly stream: EventStream;
  readonly attention: HostParts['attention'];
}

/**
 * What the pipeline and the plugins call of parts that start after them: plugins submit to the
 * pipeline, which applies their rules and passes events to them. All exist before the first request.
 */
const createLateParts = () => {
  let parts: LateParts | undefined;
  const get = (): LateParts => {
    if (!parts) throw new Error('The gateway is still starting.');
    return parts;
  };
  const rules: Rules = {
    pluginRule: (plugin, change) => get().running.rule(plugin, change),
    describeRecord: (record) => get().running.describe(record),
  };
  return {
    rules,
    deliver: (committed: CommittedBatch) => {
      const events = committedEvents(committed);
      if (events) get().stream.committed(events);
    },
    subscriber: (plugin: string) => get().running.subscribers.get(plugin),
    wakeStream: () => get().stream.wake(),
    attention: (slugs?: readonly string[]) => get().attention(slugs),
    set: (given: LateParts): void => {
      parts = given;
    },
  };
};

const instanceOf = (connector: CheckedConnector): ConnectorInstance => ({
  ...connector,
  problem:
    connector.problems.length === 0
      ? null
      : connector.problems
          .map(({ place, key, message }) => [place, key, message].filter(Boolean).join(': '))
          .join('; '),
});

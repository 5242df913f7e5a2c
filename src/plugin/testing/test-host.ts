import { randomBytes, randomUUID } from 'node:crypto';
import { Subject } from 'rxjs';
import type { EventReader } from '../../ports/tenants.js';
import type { Attention, Extensions } from '../../routes/extensions.js';
import type { AnyRouteRequest, RouteResponse, ServerSentEvent } from '../../routes/route.js';
import type { PluginCollection } from '../../ports/plugin-storage.js';
import type { DomainEvent } from '../../domain/events.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import type { IfMatch } from '../../domain/kernel/refusals.js';
import { type Scope, SCOPES } from '../../domain/scopes.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { checkDeclarations } from '../contract/check-declarations.js';
import type { Clock } from '../contract/clock.js';
import type { SourceNetwork } from '../contract/connector-contract.js';
import type {
  DeliveryOutcome,
  DurableSubscriber,
  Plugin,
  RunningPlugin,
} from '../contract/contract.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import { wants } from '../stream/lane.js';
import type { PreviewCommand } from '../../pipeline/preview.js';
import type { Outcome, Submission, Submit } from '../../pipeline/submit.js';
import type { ConfiguredConnector, PluginDeliveries, PluginUsers } from '../contract/host.js';
import type { PluginLog, PluginMetrics } from '../contract/extension.js';
import type { OutboundResponse, OutboundRequest } from '../contract/http-sender.js';
import { PluginError, startPlugins } from '../host/plugin-host.js';
import { createSecretBox } from '../host/secret-box.js';
import { createMemoryNotes, createMemoryRecords, NO_DELIVERIES } from './memory-records.js';
import { createMemoryStorage, type MemoryStorage } from './memory-storage.js';
import { callerOf, sampleTenant } from './samples.js';

/** Everything has a default except required settings. */
export interface TestHostOptions {
  /** As in the configuration; `{}` if absent. */
  readonly settings?: unknown;
  /** The key of its section; the plugin's name if absent. */
  readonly name?: string;
  readonly tenant?: Partial<Tenant>;
  /** The responses of other servers; 204 without a body if absent. */
  readonly respond?: (request: OutboundRequest) => OutboundResponse | Promise<OutboundResponse>;
  /** The plugin's deliveries; none if absent. */
  readonly deliveries?: PluginDeliveries;
  /** The event log; empty if absent. */
  readonly events?: EventReader;
  /** Receives its metrics; discarded if absent. */
  readonly metrics?: PluginMetrics;
  /** Carries out the commands of `host.commands`; they are errors of the test if absent. */
  readonly submit?: (submission: Submission) => Outcome | Promise<Outcome>;
  /** What the commands of `host.commands` would do; an error of the test if absent. */
  readonly preview?: PreviewCommand;
  /** The tenants' users and groups; none if absent. */
  readonly users?: Partial<PluginUsers>;
  /** For a plugin that hosts connectors; none if absent. */
  readonly connectors?: readonly ConfiguredConnector[];
  /** Shared by hosts that stand for instances on one database; its own if absent. */
  readonly storage?: MemoryStorage;
  /** What the home page of the tenant lists; nothing if absent. */
  readonly attention?: () => readonly Attention[];
  /** Connections to other servers; refused if absent. */
  readonly network?: SourceNetwork;
  /** The database's time; the machine's if absent. */
  readonly now?: () => Date;
  /** For timers; the machine's if absent. */
  readonly clock?: Clock;
}

/** A request to an operation of the plugin. */
export interface TestCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: IfMatch;
  readonly signal?: AbortSignal;
  readonly lastEventId?: string;
}

/** A line that the plugin logged. */
export interface LogLine {
  readonly level: keyof PluginLog;
  readonly fields: object;
  readonly message: string;
}

/** A running plugin, and everything that can be done to it and seen of it. */
export interface TestHost {
  readonly running: RunningPlugin;
  /** With its defaults. */
  readonly subscriber: DurableSubscriber | undefined;
  readonly extensions: Extensions;
  readonly tenant: () => Tenant;
  readonly records: () => readonly PluginRecord[];
  readonly notes: ReadonlyMap<string, JsonObject>;
  /** A collection that it declares. */
  readonly collection: (name: string) => PluginCollection;
  readonly log: readonly LogLine[];
  /** The requests that it sent to other servers. */
  readonly sent: readonly OutboundRequest[];
  /**
   * Calls an operation as the edge does: the route's schemas check request and response. Rejects with
   * zod's error, or with the RefusalError of a refusal.
   */
  readonly call: (operationId: string, call?: TestCall) => Promise<RouteResponse>;
  /** Calls an operation that responds with a stream. */
  readonly stream: (
    operationId: string,
    call?: TestCall,
  ) => Promise<AsyncIterable<ServerSentEvent>>;
  /** An event of the live stream. */
  readonly emit: (event: DomainEvent) => void;
  /** Makes one attempt for each key that wants the event. */
  readonly deliver: (
    event: DomainEvent,
    attempt?: number,
  ) => Promise<ReadonlyMap<string, DeliveryOutcome>>;
  /** Starts timers, which otherwise do not run. */
  readonly startWork: () => void;
  readonly stop: () => Promise<void>;
}

const NO_CONTENT: OutboundResponse = {
  kind: 'responded',
  status: 204,
  headers: {},
  body: '',
  durationMs: 1,
};

const NO_NETWORK: SourceNetwork = {
  connect: () => Promise.reject(new Error('The test host has no network; pass one as an option.')),
};

const NO_METRICS: PluginMetrics = { gauge: () => undefined, counter: () => () => undefined };

const NO_EVENTS: EventReader = {
  page: (_tenantId, { after }) =>
    Promise.resolve({ events: [], upTo: after, hasMore: false, hasGap: false }),
};

const NO_USERS: Omit<PluginUsers, 'tenant'> = {
  find: () => Promise.resolve([]),
  versions: () => Promise.resolve(new Map()),
  activeUsers: async function* () {},
  findGroups: () => Promise.resolve([]),
  memberships: () => Promise.resolve([]),
};

const findTenant =
  (tenant: () => Tenant): PluginUsers['tenant'] =>
  (slug) =>
    Promise.resolve(tenant().slug === slug ? tenant() : undefined);

const noPreview: PreviewCommand = () =>
  Promise.reject(new Error('The test host has no preview; pass one as an option.'));

/** Changes of the plugin's records run here; commands of connectors as the test says. */
const submitter = (own: Submit, { submit }: TestHostOptions): Submit =>
  (async (submission: Submission) =>
    submission.source === 'connector' && submit ? submit(submission) : own(submission)) as Submit;

const createTestLog = () => {
  const lines: LogLine[] = [];
  const write = (level: keyof PluginLog) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const host: PluginLog = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, host };
};

/**
 * Starts a plugin on the real host with storage in memory; nothing is sent. Records change by the
 * plugin's rules as in the lane, one change after another. Rejects with a sentence if the plugin
 * declares or provides something that the gateway would refuse.
 *
 * @example
 * const host = await startTestHost(audit, { settings: { file: 'audit.log' } });
 * await host.deliver(sampleEvent('user.created'));
 * await host.stop();
 */
export const startTestHost = async (
  plugin: Plugin,
  options: TestHostOptions = {},
): Promise<TestHost> => {
  const { name = plugin.name, now = () => new Date() } = options;
  const [fault] = checkDeclarations([{ name, plugin, source: 'test' }]);
  if (fault) throw new PluginError(`plugins.${name}: ${fault.message}.`);
  const events = new Subject<DomainEvent>();
  const log = createTestLog();
  const sent: OutboundRequest[] = [];
  const { respond = () => NO_CONTENT } = options;
  const notes = createMemoryNotes();
  const { storage = createMemoryStorage(now) } = options;
  const records = createMemoryRecords(
    sampleTenant(options.tenant),
    (owner, change) => plugins.rule(owner, change),
    now,
  );
  let running: RunningPlugin = {};
  const observed: Plugin = {
    ...plugin,
    start: async (host) => (running = await plugin.start(host)),
  };
  const send = async (request: OutboundRequest): Promise<OutboundResponse> => {
    sent.push(request);
    return respond(request);
  };
  const settings = plugin.settings?.parse(options.settings ?? {}) ?? {};
  const plugins = await startPlugins([{ name, plugin: observed, settings }], {
    submit: submitter(records.submit, options),
    preview: options.preview ?? noPreview,
    users: { ...NO_USERS, tenant: findTenant(records.tenant), ...options.users },
    connectors: { list: options.connectors ?? [] },
    recordsOf: () => records,
    notesOf: () => notes.host,
    collectionOf: storage.collectionOf,
    deliveriesOf: () => options.deliveries ?? NO_DELIVERIES,
    actions: {
      begin: () => Promise.resolve({ state: 'new' }),
      end: () => Promise.resolve(),
      forget: () => Promise.resolve(),
    },
    leases: storage.leases,
    instanceId: randomUUID(),
    secrets: createSecretBox(randomBytes(32)),
    metrics: options.metrics ?? NO_METRICS,
    senderFor: () => ({
      post: send,
      get: send,
      close: () => Promise.resolve(),
    }),
    networkFor: () => options.network ?? NO_NETWORK,
    attention: async function* (slugs) {
      const tenant = records.tenant();
      const attention = options.attention?.() ?? [];
      if (slugs?.includes(tenant.slug) !== false)
        yield await Promise.resolve({ tenant, attention });
    },
    publicUrl: () => 'https://rollgate.example.com',
    now,
    events: options.events ?? NO_EVENTS,
    events$: events.asObservable(),
    logOf: () => log.host,
    ...(options.clock && { clock: options.clock }),
  });

  const scopes: readonly Scope[] = [...SCOPES, ...(plugin.scopes ?? []).map(({ scope }) => scope)];

  const respondTo = async (operationId: string, call: TestCall): Promise<RouteResponse> => {
    const route = running.routes?.find((candidate) => candidate.operationId === operationId);
    if (!route) throw new Error(`The plugin ${name} has no operation ${operationId}.`);
    const request = {
      params: route.params?.parse(call.params ?? {}),
      query: route.query?.parse(call.query ?? {}),
      body: route.body?.parse(call.body),
      caller: callerOf(route, records.tenant(), scopes),
      requestId: 'test-request-1',
      submit: records.submit,
      signal: call.signal ?? new AbortController().signal,
      source: route.api === 'operators' ? 'admin' : 'rest',
      ...(call.ifMatch !== undefined && { ifMatch: call.ifMatch }),
      ...(call.lastEventId !== undefined && { lastEventId: call.lastEventId }),
    } satisfies AnyRouteRequest;
    const response = await route.handler(request);
    const shape = route.responses[response.status];
    if (!shape)
      throw new Error(
        `${operationId} responded with ${response.status}, which it does not declare.`,
      );
    if (!response.stream) shape.body?.parse(response.body);
    return response;
  };

  const deliver: TestHost['deliver'] = async (event, attempt = 1) => {
    const subscriber = plugins.subscribers.get(name);
    if (!subscriber) throw new Error(`The plugin ${name} subscribes to nothing.`);
    const { signal } = new AbortController();
    const subscriptions = await subscriber.subscriptions(event.tenantId);
    const wanting = subscriptions.filter((subscription) => wants(subscription, event));
    const outcomes = wanting.map(async ({ key }) => {
      const id = deliveryIdOf(event.id, name, key);
      return [key, await subscriber.deliver({ id, key, event, attempt }, signal)] as const;
    });
    return new Map(await Promise.all(outcomes));
  };

  return {
    running,
    subscriber: plugins.subscribers.get(name),
    extensions: plugins.extensions,
    tenant: records.tenant,
    records: records.all,
    notes: notes.notes,
    collection: (collection) => storage.collectionOf(name, collection),
    log: log.lines,
    sent,
    call: (operationId, call = {}) => respondTo(operationId, call),
    stream: async (operationId, call = {}) => {
      const { stream } = await respondTo(operationId, call);
      return stream ?? Promise.reject(new Error(`${operationId} responded without a stream.`));
    },
    emit: (event) => events.next(event),
    deliver,
    startWork: plugins.startWork,
    stop: plugins.stop,
  };
};

import { randomBytes, randomUUID } from 'node:crypto';
import { Subject } from 'rxjs';
import type { CommandOf } from '../../domain/commands.js';
import type { DomainEvent } from '../../domain/events.js';
import type { Actor } from '../../domain/kernel/actor.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import type { IfMatch } from '../../domain/kernel/refusals.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import { SCOPES } from '../../domain/scopes.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import { startPipeline } from '../../pipeline/pipeline.js';
import { newId, type Submission } from '../../pipeline/submit.js';
import type { PluginCollection } from '../../ports/plugin-storage.js';
import type { OperatorCaller, TenantCaller } from '../../routes/caller.js';
import type { AnyRouteRequest, Route, RouteResponse } from '../../routes/route.js';
import { checkDeclarations } from '../contract/check-declarations.js';
import type {
  DeliveryOutcome,
  DurableSubscriber,
  Plugin,
  RunningPlugin,
} from '../contract/contract.js';
import type { OutboundRequest, OutboundResponse } from '../contract/http-sender.js';
import { type HostParts, PluginError, startPlugins } from '../host/plugin-host.js';
import { createSecretBox } from '../host/secret-box.js';
import { wants } from '../stream/lane.js';
import { createMemoryStorage } from './memory-storage.js';
import { createMemoryStore, notesIn } from './memory-store.js';
import { SAMPLE_TENANT_ID } from './samples.js';
import { createTestLog, type LogLine } from './test-log.js';

/** Everything has a default except required settings. */
export interface TestHostOptions {
  /** As in the configuration; `{}` if absent. */
  readonly settings?: unknown;
  /** The key of its section; the plugin's name if absent. */
  readonly name?: string;
  readonly tenant?: Partial<CommandOf<'tenant.create'>>;
  /** The responses of other servers; 204 without a body if absent. */
  readonly respond?: (request: OutboundRequest) => OutboundResponse | Promise<OutboundResponse>;
  /** Replaces parts of the gateway: its clock, event log, deliveries, storage and so on. */
  readonly parts?: Partial<HostParts>;
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

/** A running plugin, and everything that can be done to it and seen of it. */
export interface TestHost {
  readonly running: RunningPlugin;
  /** With its defaults. */
  readonly subscriber: DurableSubscriber | undefined;
  readonly tenant: () => Tenant;
  readonly records: () => readonly PluginRecord[];
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

const OPERATOR: Actor = { kind: 'operator', name: 'test' };
const REQUEST = { requestId: 'test-request-1' };

/** A part of the gateway that a test has to pass, if its plugin uses it. */
const missing = (): never => {
  throw new Error('The test host does not have this part of the gateway; pass it in "parts".');
};

/** What the test host does without. */
const MISSING = {
  runnerParts: () => ({
    connectors: [],
    commandsOf: missing,
    users: {
      find: missing,
      versions: missing,
      activeUsers: missing,
      findGroups: missing,
      memberships: missing,
      tenant: missing,
    },
  }),
  deliveriesOf: () => ({
    list: missing,
    find: missing,
    redeliver: missing,
    recover: missing,
    findRecovery: missing,
  }),
  actions: {
    begin: () => Promise.resolve({ state: 'new' as const }),
    end: () => Promise.resolve(),
    forget: () => Promise.resolve(),
  },
  metrics: { gauge: () => undefined, counter: () => () => undefined },
  networkFor: () => ({ connect: missing }),
  attention: missing,
  publicUrl: () => 'https://rollgate.example.com',
  events: { page: missing },
} satisfies Partial<HostParts>;

/**
 * Starts a plugin on the real host and the real pipeline, with one tenant and storage in memory; nothing
 * is sent. Rejects with a sentence if the plugin declares or provides something that the gateway would
 * refuse.
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
  const { name = plugin.name, respond = () => NO_CONTENT } = options;
  const [fault] = checkDeclarations([{ name, plugin, source: 'test' }]);
  if (fault) throw new PluginError(`plugins.${name}: ${fault.message}.`);
  const { now = () => new Date() } = options.parts ?? {};
  const events = new Subject<DomainEvent>();
  const { lines, log } = createTestLog();
  const sent: OutboundRequest[] = [];
  const send = async (request: OutboundRequest): Promise<OutboundResponse> => {
    sent.push(request);
    return respond(request);
  };
  const store = createMemoryStore(now);
  const storage = createMemoryStorage(now);
  const pipeline = startPipeline({
    store: store.commits,
    rules: {
      pluginRule: (owner, change) => plugins.rule(owner, change),
      describeRecord: (record) => plugins.describe(record),
    },
    log,
  });
  const parts: HostParts = {
    ...MISSING,
    submit: pipeline.submit,
    recordsOf: () => store,
    notesOf: (owner) => notesIn(storage.collectionOf(owner, 'notes of records'), SAMPLE_TENANT_ID),
    ...storage,
    instanceId: randomUUID(),
    secrets: createSecretBox(randomBytes(32)),
    senderFor: () => ({ post: send, get: send, close: () => Promise.resolve() }),
    now,
    events$: events.asObservable(),
    logOf: () => log,
    ...options.parts,
  };
  await pipeline.submit(creationOf(options.tenant));
  let running: RunningPlugin = {};
  const observed: Plugin = {
    ...plugin,
    start: async (host) => (running = await plugin.start(host)),
  };
  const settings = plugin.settings?.parse(options.settings ?? {}) ?? {};
  const plugins = await startPlugins([{ name, plugin: observed, settings }], parts);
  const subscriber = plugins.subscribers.get(name);

  return {
    running,
    subscriber,
    tenant: store.tenant,
    records: store.all,
    collection: (collection) => parts.collectionOf(name, collection),
    log: lines,
    sent,
    call: async (operationId, call = {}) => {
      const route = running.routes?.find((candidate) => candidate.operationId === operationId);
      if (!route) throw new Error(`The plugin ${name} has no operation ${operationId}.`);
      const isOperators = route.api === 'operators';
      return callRoute(route, call, {
        caller: isOperators ? OPERATOR_CALLER : callerOf(store.tenant(), plugin),
        source: isOperators ? 'admin' : 'rest',
        submit: pipeline.submit,
      });
    },
    emit: (event) => events.next(event),
    deliver: async (event, attempt = 1) => {
      if (!subscriber) throw new Error(`The plugin ${name} subscribes to nothing.`);
      return deliverTo(subscriber, name, event, attempt);
    },
    startWork: plugins.startWork,
    stop: plugins.stop,
  };
};

const creationOf = (tenant: TestHostOptions['tenant']): Submission<'tenant.create'> => ({
  ...REQUEST,
  tenantId: SAMPLE_TENANT_ID,
  actor: OPERATOR,
  source: 'admin',
  command: {
    type: 'tenant.create',
    slug: 'acme',
    name: 'Acme',
    seatCapacity: null,
    defaultRole: 'member',
    roomProvisioning: 'manual',
    ...tenant,
  },
});

const deliverTo = async (
  subscriber: DurableSubscriber,
  name: string,
  event: DomainEvent,
  attempt: number,
): Promise<ReadonlyMap<string, DeliveryOutcome>> => {
  const { signal } = new AbortController();
  const subscriptions = await subscriber.subscriptions(event.tenantId);
  const wanting = subscriptions.filter((subscription) => wants(subscription, event));
  const outcomes = wanting.map(async ({ key }) => {
    const id = deliveryIdOf(event.id, name, key);
    return [key, await subscriber.deliver({ id, key, event, attempt }, signal)] as const;
  });
  return new Map(await Promise.all(outcomes));
};

const callRoute = async (
  route: Route,
  { params = {}, query = {}, body, ...call }: TestCall,
  from: Pick<AnyRouteRequest, 'caller' | 'source' | 'submit'>,
): Promise<RouteResponse> => {
  const response = await route.handler({
    ...REQUEST,
    params: route.params?.parse(params),
    query: route.query?.parse(query),
    body: route.body?.parse(body),
    signal: new AbortController().signal,
    ...from,
    ...call,
  } satisfies AnyRouteRequest);
  const shape = route.responses[response.status];
  if (!shape)
    throw new Error(
      `${route.operationId} responded with ${response.status}, which it does not declare.`,
    );
  if (!response.stream) shape.body?.parse(response.body);
  return response;
};

const OPERATOR_CALLER: OperatorCaller = { actor: OPERATOR, role: 'owner', tenants: null };

/** A key with every scope. */
const callerOf = (tenant: Tenant, plugin: Plugin): TenantCaller => {
  const id = newId<ApiKeyId>();
  const scopes = [...SCOPES, ...(plugin.scopes ?? []).map(({ scope }) => scope)];
  const { createdAt, id: tenantId } = tenant;
  const described = { hash: '', prefix: 'rg_test0000', description: 'test', createdAt };
  return {
    tenant,
    actor: { kind: 'api-key', id, scopes },
    key: { ...described, id, tenantId, scopes },
  };
};

import { randomBytes } from 'node:crypto';
import { Subject } from 'rxjs';
import type { RouteAnswer } from '../../api/route.js';
import type { IfMatch } from '../../domain/precondition.js';
import type { DomainEvent } from '../../domain/events.js';
import type { RecordId, TenantId } from '../../domain/ids.js';
import type { JsonObject } from '../../domain/json.js';
import type { PluginRecord } from '../../domain/plugin-record.js';
import type { Tenant } from '../../domain/tenant.js';
import { newId } from '../../pipeline/new-id.js';
import type {
  DeliveryOutcome,
  Plugin,
  PluginDeliveries,
  PluginLog,
  PluginMetrics,
  RunningPlugin,
} from '../contract.js';
import { deliveryIdOf } from '../engine/delivery-id.js';
import type { HttpSender, OutboundAnswer, OutboundRequest } from '../http-sender.js';
import { createSecretBox } from '../secret-box.js';
import { NO_DELIVERIES } from './bench-deliveries.js';
import { callerOf, sampleTenant } from './bench-caller.js';
import { createBenchRecords } from './bench-records.js';

export interface BenchGiven {
  /** As it would stand in the configuration; `{}` where absent. */
  readonly settings?: unknown;
  readonly tenant?: Partial<Tenant>;
  /** What somebody else's server says; 204 without a body where absent. */
  readonly answer?: (request: OutboundRequest) => OutboundAnswer | Promise<OutboundAnswer>;
  /** What it is told of its deliveries; none where absent. */
  readonly deliveries?: PluginDeliveries;
  /** Where its numbers go; nowhere where absent. */
  readonly metrics?: PluginMetrics;
  /** The database's time; the machine's where absent. */
  readonly now?: () => Date;
}

export interface BenchCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: IfMatch;
}

export interface BenchLine {
  readonly level: keyof PluginLog;
  readonly fields: object;
  readonly message: string;
}

/** A plugin that runs, and all that can be done to it and seen of it. */
export interface PluginBench {
  readonly running: RunningPlugin;
  readonly tenant: () => Tenant;
  readonly records: () => readonly PluginRecord[];
  readonly notes: ReadonlyMap<string, JsonObject>;
  readonly log: readonly BenchLine[];
  /** What it sent. */
  readonly sent: readonly OutboundRequest[];
  /**
   * Calls an operation as the edge does: input and answer checked by the route's own schemas.
   * Rejects with zod's error, or with the RefusalError of a refusal.
   */
  readonly call: (operationId: string, call?: BenchCall) => Promise<RouteAnswer>;
  /** An event of the live stream. */
  readonly emit: (event: DomainEvent) => void;
  /** Routes an event as a commit does, and makes one attempt for each key. */
  readonly deliver: (
    event: DomainEvent,
    attempt?: number,
  ) => Promise<ReadonlyMap<string, DeliveryOutcome>>;
  readonly stop: () => Promise<void>;
}

const NO_CONTENT: OutboundAnswer = {
  kind: 'answered',
  status: 204,
  headers: {},
  body: '',
  durationMs: 1,
};

const NO_METRICS: PluginMetrics = { gauge: () => undefined, counter: () => () => undefined };

const createBenchNotes = () => {
  const notes = new Map<string, JsonObject>();
  const marks = new Map<
    string,
    { readonly tenantId: TenantId; readonly mark: string | undefined }
  >();
  return {
    notes,
    host: {
      read: async (_tenantId: string, ids: readonly string[]) => {
        const known = ids.flatMap((id) => {
          const note = notes.get(id);
          return note ? [[id, note] as const] : [];
        });
        return Promise.resolve(new Map(known));
      },
      write: async (tenantId: TenantId, id: string, note: JsonObject, mark?: string) => {
        notes.set(id, note);
        marks.set(id, { tenantId, mark });
        return Promise.resolve();
      },
      marked: async (wanted: string) =>
        Promise.resolve(
          [...marks].flatMap(([id, { tenantId, mark }]) => {
            const note = notes.get(id);
            return mark === wanted && note ? [{ tenantId, id, note }] : [];
          }),
        ),
      unmark: async (tenantId: TenantId, id: string, mark: string) => {
        if (marks.get(id)?.mark === mark) marks.set(id, { tenantId, mark: undefined });
        return Promise.resolve();
      },
    },
  };
};

const createBenchLog = () => {
  const lines: BenchLine[] = [];
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

const createBenchSender = (answer: NonNullable<BenchGiven['answer']>) => {
  const sent: OutboundRequest[] = [];
  const host: HttpSender = {
    post: async (request) => {
      sent.push(request);
      return answer(request);
    },
  };
  return { sent, host };
};

/**
 * Starts a plugin on a host that keeps everything in memory and sends nothing: records change by
 * the plugin's own rules as in the lane, one after another.
 *
 * @example
 * const bench = await openBench(audit, { settings: { file: 'audit.log' } });
 * await bench.deliver(sampleEvent('user.created'));
 */
export const openBench = async (plugin: Plugin, given: BenchGiven = {}): Promise<PluginBench> => {
  const events = new Subject<DomainEvent>();
  const log = createBenchLog();
  const sender = createBenchSender(given.answer ?? (() => NO_CONTENT));
  const { notes, host } = createBenchNotes();
  const records = createBenchRecords(
    plugin.name,
    sampleTenant(given.tenant),
    (change) => running.rules?.[change],
  );
  const running: RunningPlugin = await plugin.start({
    settings: plugin.settings.parse(given.settings ?? {}),
    log: log.host,
    records,
    notes: host,
    deliveries: given.deliveries ?? NO_DELIVERIES,
    actions: { once: async (_asking, act) => ({ result: await act(), isReplay: false }) },
    secrets: createSecretBox(randomBytes(32)),
    http: sender.host,
    metrics: given.metrics ?? NO_METRICS,
    events$: events.asObservable(),
    newId: () => newId<RecordId>(),
    now: given.now ?? (() => new Date()),
  });

  const call: PluginBench['call'] = async (operationId, asked = {}) => {
    const route = running.routes?.find((candidate) => candidate.operationId === operationId);
    if (!route) throw new Error(`The plugin ${plugin.name} has no operation ${operationId}.`);
    const request = {
      params: route.params?.parse(asked.params ?? {}),
      query: route.query?.parse(asked.query ?? {}),
      body: route.body?.parse(asked.body),
      caller: callerOf(route, records.tenant()),
      requestId: 'bench-1',
      source: route.api === 'operators' ? 'admin' : 'rest',
      ...(asked.ifMatch !== undefined && { ifMatch: asked.ifMatch }),
    };
    const answer = await route.handler(request as never);
    const shape = route.answers[answer.status];
    if (!shape)
      throw new Error(`${operationId} answered ${answer.status}, which it does not tell.`);
    shape.body?.parse(answer.body);
    return answer;
  };

  const deliver: PluginBench['deliver'] = async (event, attempt = 1) => {
    const { subscriber } = running;
    if (!subscriber) throw new Error(`The plugin ${plugin.name} subscribes to nothing.`);
    const tenant = records.tenant();
    await subscriber.prepare(tenant, tenant.pluginVersions[plugin.name] ?? 0);
    const { signal } = new AbortController();
    const outcomes = subscriber.route(event).map(async (key) => {
      const id = deliveryIdOf(event.id, plugin.name, key);
      return [key, await subscriber.deliver({ id, key, event, attempt }, signal)] as const;
    });
    return new Map(await Promise.all(outcomes));
  };

  return {
    running,
    tenant: records.tenant,
    records: records.all,
    notes,
    log: log.lines,
    sent: sender.sent,
    call,
    emit: (event) => events.next(event),
    deliver,
    stop: async () => running.stop?.(),
  };
};

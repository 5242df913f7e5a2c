import { wants } from '../../../src/plugin/stream/lane.js';
import { NEVER } from 'rxjs';
import { z } from 'zod';
import type { Route, RouteResponse } from '../../../src/routes/route.js';
import { type IfMatch, type Refusal, RefusalError } from '../../../src/domain/kernel/refusals.js';
import { changePluginRecords } from '../../../src/domain/plugin/plugin-deciders.js';
import { isRefused } from '../../../src/domain/kernel/decider.js';
import type { EventName, DomainEvent } from '../../../src/domain/events.js';
import type { DeliveryId, EventId, RecordId } from '../../../src/domain/kernel/ids.js';
import type { JsonObject } from '../../../src/domain/kernel/json.js';
import type { PluginRecord } from '../../../src/domain/plugin/plugin-record.js';
import type { Change } from '../../../src/domain/tables.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import type {
  DeliveryOutcome,
  DurableSubscriber,
  RunningPlugin,
} from '../../../src/plugin/contract/contract.js';
import type { PluginDeliveries, PluginHost } from '../../../src/plugin/contract/host.js';
import type { HttpSender } from '../../../src/plugin/contract/http-sender.js';
import { webhooks } from '../../../plugins/webhooks/index.js';
import { webhookRules } from '../../../plugins/webhooks/rules.js';
import { factsOver } from '../../support/array-facts.js';
import { decideSync } from '../../support/decide-sync.js';
import { anApiKeyActor, aTenant, envelopeOf, idOf, TENANT_ID } from '../../support/builders.js';

/** What a route answered: as the edge would send it, or the refusal. */
export type Answer = RouteResponse & { readonly refusal?: Refusal; readonly body?: Fields };
type Fields = Readonly<Record<string, unknown>>;

interface Call {
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: IfMatch;
}

/** A sender that sends nothing. */
const noHttp: HttpSender = {
  post: () => Promise.reject(new Error('This test sends nothing.')),
  get: () => Promise.reject(new Error('This test sends nothing.')),
};

/** Marks text as sealed, so that a test sees where plain text would be. */
const secretBox = {
  seal: (plain: string) => `sealed:${Buffer.from(plain).toString('base64')}`,
  unseal: (sealed: string) => Buffer.from(sealed.slice('sealed:'.length), 'base64').toString(),
};

/**
 * The webhook plugin on a host that keeps its records in memory and runs its rules as the lane
 * does: with the real decider, one change after another.
 */
export class WebhookBench {
  tenant: Tenant = aTenant();
  records: PluginRecord[] = [];
  /** Every command that was submitted, as the command log may see it. */
  readonly commands: JsonObject[] = [];
  readonly notes = new Map<string, JsonObject>();
  readonly logged: string[] = [];
  reads = 0;
  deliveries: Partial<PluginDeliveries> = {};
  #running: RunningPlugin | undefined;
  #lastId = 0;

  constructor(
    readonly http: HttpSender = noHttp,
    readonly settings: Readonly<Record<string, unknown>> = {},
  ) {}

  async start(): Promise<this> {
    this.#running = await webhooks.start(this.#host());
    return this;
  }

  async stop(): Promise<void> {
    await this.#running?.stop?.();
  }

  get subscriber(): DurableSubscriber {
    return this.#running!.subscriber as DurableSubscriber;
  }

  get routes(): readonly Route[] {
    return this.#running!.routes!;
  }

  /** Calls an operation as the edge does: input and answer checked by the route's own schemas. */
  async call(operationId: string, { id, query = {}, body, ifMatch }: Call = {}): Promise<Answer> {
    const route = this.routes.find((candidate) => candidate.operationId === operationId)!;
    const request = {
      params: route.params?.parse({ id }),
      query: route.query?.parse(query),
      body: undefined as unknown,
      caller: { tenant: this.tenant, actor: anApiKeyActor() },
      requestId: 'request-1',
      source: 'rest',
      ...(ifMatch !== undefined && { ifMatch }),
    };
    const parsed = route.body?.safeParse(body);
    if (parsed?.success === false)
      return { status: 400, body: { issues: z.flattenError(parsed.error) } };
    request.body = parsed?.data;
    try {
      const answer = await route.handler(request as never);
      const shape = route.responses[answer.status]!;
      if (shape.body) shape.body.parse(answer.body);
      return answer as Answer;
    } catch (error) {
      if (error instanceof RefusalError) return { status: 400, refusal: error.refusal };
      throw error;
    }
  }

  /** Registers a webhook; fails the test where that is refused. */
  async register(more: Readonly<Record<string, unknown>> = {}): Promise<Fields & { id: string }> {
    const body = { url: 'https://hook.test/in', events: ['*'], ...more };
    const answer = await this.call('createWebhook', { body });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer));
    return answer.body as Fields & { id: string };
  }

  /** Tries each delivery once. */
  async deliver(
    event: DomainEvent,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<readonly DeliveryOutcome[]> {
    const { subscriber } = this;
    const subscriptions = await subscriber.subscriptions(this.tenant.id);
    const id = idOf<DeliveryId>(0xde11);
    return Promise.all(
      subscriptions
        .filter((subscription) => wants(subscription, event))
        .map(({ key }) => subscriber.deliver({ id, key, event, attempt: 1 }, signal)),
    );
  }

  #host(): PluginHost {
    const forbidden = (): never => {
      throw new Error('The plugin has no use for this.');
    };
    const write = (_fields: object, message: string) => void this.logged.push(message);
    return {
      name: 'webhooks',
      settings: webhooks.settings?.parse(this.settings),
      log: { debug: write, info: write, warn: write, error: write },
      secrets: secretBox,
      http: this.http,
      network: { connect: forbidden },
      attention: forbidden,
      publicUrl: forbidden,
      metrics: { gauge: () => undefined, counter: () => () => undefined },
      deliveries: this.deliveries as PluginDeliveries,
      actions: { once: async (_asking, act) => ({ result: await act(), isReplay: false }) },
      events$: NEVER,
      events: { page: forbidden, live: forbidden },
      collection: forbidden,
      leases: { run: forbidden },
      newId: forbidden,
      now: () => new Date(),
      notes: {
        read: (_tenantId, ids) =>
          Promise.resolve(
            new Map(
              ids.flatMap((id) => {
                const note = this.notes.get(id);
                return note ? [[id, note] as const] : [];
              }),
            ),
          ),
        write: (_tenantId, id, note) => {
          this.notes.set(id, note);
          return Promise.resolve();
        },
        marked: forbidden,
        unmark: forbidden,
      },
      records: {
        list: (tenantId) => {
          this.reads += 1;
          return Promise.resolve(this.records.filter((one) => one.tenantId === tenantId));
        },
        find: (tenantId, id) =>
          Promise.resolve(this.records.find((one) => one.tenantId === tenantId && one.id === id)),
        change: (_request, change, input) => {
          this.commands.push({ change, input });
          return Promise.resolve().then(() => this.#change(change, input));
        },
      },
    };
  }

  #change(change: string, input: JsonObject) {
    const recordId = idOf<RecordId>(++this.#lastId);
    const verdict = decideSync(
      changePluginRecords.decide(
        envelopeOf({
          type: 'plugin.change',
          plugin: 'webhooks',
          change,
          recordId,
          input,
          scope: null,
        }),
        factsOver({ known: { pluginRecords: this.records }, tenant: this.tenant }),
        {
          pluginRule: (_plugin, name) => webhookRules[name as keyof typeof webhookRules],
        },
      ),
    );
    if (isRefused(verdict)) throw new RefusalError(verdict.refusal);
    for (const one of verdict.changes) this.#apply(one);
    return verdict.result;
  }

  #apply(change: Change): void {
    if (change.table === 'tenant') this.tenant = change.after!;
    if (change.table !== 'pluginRecords') return;
    const { before, after } = change;
    const at = this.records.findIndex((one) => one.id === before?.id);
    this.records.splice(
      at < 0 ? this.records.length : at,
      at < 0 ? 0 : 1,
      ...(after ? [after] : []),
    );
  }
}

export const anEvent = (name: EventName = 'user.created', more: Partial<DomainEvent> = {}) => ({
  id: idOf<EventId>(0xe0),
  tenantId: TENANT_ID,
  tenantSlug: 'acme',
  name,
  resource: { kind: 'user' as const, id: idOf(1) },
  data: { user: { id: idOf(1), email: 'zoë@example.com', display_name: 'Zoë', active: true } },
  seq: 1,
  at: new Date('2026-11-21T09:00:00.007Z'),
  apiKeyId: null,
  ...more,
});

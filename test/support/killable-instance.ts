import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import pino from 'pino';
import type { CommandOf, CommandType } from '../../src/domain/commands.js';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import type { Idempotency } from '../../src/domain/kernel/stored-response.js';
import { newId, type Outcome, resultOf } from '../../src/pipeline/submit.js';
import { type Pipeline, startPipeline } from '../../src/pipeline/pipeline.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract/contract.js';
import {
  committedEvents,
  createEventStream,
  type EventStream,
} from '../../src/plugin/stream/event-stream.js';
import { STREAM_LIMITS, type StreamLimits } from '../../src/plugin/stream/stream-limits.js';
import { connect } from '../../src/store/connect.js';
import { openStore, type Store } from '../../src/store/open-store.js';
import { PASSIVE_RULES } from './no-plugins.js';
import { type CutProxy, openCutProxy, throughProxy } from './cut-proxy.js';

/** The name of the only subscriber; each of its keys gets every event. */
const SUBSCRIBER = 'tests';

/** A database command of the driver, before it is sent or after it succeeded. */
export interface DriverEvent {
  readonly when: 'sends' | 'has sent';
  readonly command: 'commitTransaction' | 'insert' | 'update';
  readonly collection?: string;
}

export interface KillableInstanceOptions {
  readonly uri: string;
  /** Receives each delivery attempt. */
  readonly receive: (delivery: Delivery) => Promise<DeliveryOutcome>;
  readonly limits?: Partial<StreamLimits>;
  readonly keys?: readonly string[];
}

const pending = new Promise<never>(() => undefined);
const PLAIN = { seal: (text: string) => text, unseal: (text: string) => text };
const HOUR = 3_600_000;

/**
 * A gateway without the HTTP edge: store, pipeline and event stream, connected to the database
 * through its own proxy. Killing it breaks its connections and leaves all its promises pending, as
 * if the process were killed.
 */
export class KillableInstance {
  readonly instanceId: string;
  #isKilled = false;

  private constructor(
    instanceId: string,
    readonly proxy: CutProxy,
    private readonly connection: mongo.MongoClient,
    readonly store: Store,
    private readonly pipeline: Pipeline,
    private readonly stream: EventStream,
  ) {
    this.instanceId = instanceId;
  }

  static async start({
    uri,
    receive,
    limits = {},
    keys = ['alpha'],
  }: KillableInstanceOptions): Promise<KillableInstance> {
    const instanceId = randomUUID();
    const { hostname, port } = new URL(uri);
    const proxy = await openCutProxy({ host: hostname, port: Number(port) });
    const connection = await connect(throughProxy(uri, proxy), { monitorCommands: true });
    const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
    const store = await openStore(connection, {
      instanceId,
      secrets: PLAIN,
      keepEventsMs: HOUR,
      keepLogMs: HOUR,
      rateLimits: { perMinute: 1_000, operatorsPerMinute: 1_000 },
      log,
    });
    const subscriber = {
      subscriptions: () => Promise.resolve(keys.map((key) => ({ key }))),
      isByRecord: false,
      deliver: (delivery: Delivery) => (instance.#isKilled ? pending : receive(delivery)),
      retry: [100, 100, 100],
      concurrency: 8,
    };
    const stream = createEventStream({
      subscribers: new Map([[SUBSCRIBER, subscriber]]),
      store: store.stream,
      owner: instanceId,
      gateways: store.instances,
      databaseTime: store.instances.databaseTime,
      log,
      limits: { ...STREAM_LIMITS, roundMs: 100, ...limits },
    });
    const pipeline = startPipeline({
      store: store.commits,
      deliver: (committed) => {
        const events = committedEvents(committed);
        if (events) stream.committed(events);
      },
      rules: PASSIVE_RULES,
      log,
    });
    const instance = new KillableInstance(instanceId, proxy, connection, store, pipeline, stream);
    stream.start();
    return instance;
  }

  /** Never resolves once the instance is killed. */
  async submit<Type extends CommandType>(
    tenantId: TenantId,
    command: CommandOf<Type>,
    idempotency?: Idempotency,
  ): Promise<Outcome<Type>> {
    const outcome = await this.pipeline.submit<Type>({
      tenantId,
      command,
      actor: { kind: 'operator', name: 'test' },
      source: 'admin',
      requestId: 'request-1',
      ...(idempotency && { idempotency }),
    });
    return this.#isKilled ? pending : outcome;
  }

  async createTenant(slug: string): Promise<TenantId> {
    const outcome = await this.submit<'tenant.create'>(newId<TenantId>(), {
      type: 'tenant.create',
      slug,
      name: slug,
      seatCapacity: null,
      defaultRole: 'member',
      roomProvisioning: 'manual',
    });
    return resultOf(outcome).id;
  }

  kill(): void {
    this.#isKilled = true;
    this.proxy.cut();
  }

  /** Kills the instance at the next such event; resolves then. */
  killOn(event: DriverEvent): Promise<void> {
    return this.#when(event, () => this.kill());
  }

  /** Resolves at the next such event. */
  waitFor(event: DriverEvent): Promise<void> {
    return this.#when(event, () => undefined);
  }

  /** Runs `act` synchronously: before the bytes are sent, or before the response is processed. */
  #when({ when, command, collection }: DriverEvent, act: () => void): Promise<void> {
    return new Promise((resolve) => {
      const client = this.connection;
      const matching = new Set<number>();
      const onStarted = ({
        commandName,
        command: sent,
        requestId,
      }: mongo.CommandStartedEvent): void => {
        if (commandName !== command) return;
        if (collection === undefined || sent[command] === collection) matching.add(requestId);
      };
      const onEvent = ({ requestId }: { readonly requestId: number }): void => {
        if (!matching.has(requestId)) return;
        client.off('commandStarted', onStarted).off(name, onEvent);
        act();
        resolve();
      };
      const name = when === 'sends' ? 'commandStarted' : 'commandSucceeded';
      client.on('commandStarted', onStarted).on(name, onEvent);
    });
  }

  /** Releases all resources, whether or not the instance was killed. */
  async stop(): Promise<void> {
    if (!this.#isKilled) {
      await this.pipeline.drain();
      await this.stream.stop(10_000);
    }
    this.proxy.restore();
    await this.store.close();
    await this.proxy.close();
  }
}

/** Resolves when every event of the tenant is delivered. */
export const deliveriesSettled = async (database: mongo.Db, tenant: TenantId): Promise<void> => {
  const isSettled = async (): Promise<boolean> => {
    const state = await database.collection('tenant_state').findOne({ _id: tenant });
    const cursor = await database.collection('cursors').findOne({ tenant });
    const waiting = await database.collection('deliveries').countDocuments({ tenant, st: 'p' });
    return waiting === 0 && Number(cursor?.low ?? 0) >= Number(state?.seq ?? 0);
  };
  while (!(await isSettled())) await pause(20);
};

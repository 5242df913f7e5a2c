import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { expect } from 'vitest';
import type { DomainEvent, EventName } from '../../../src/domain/events.js';
import type { EventId, TenantId } from '../../../src/domain/kernel/ids.js';
import type {
  Delivery,
  DeliveryOutcome,
  DurableSubscriber,
  Subscription,
} from '../../../src/plugin/contract/contract.js';
import { createEventStream, type EventStream } from '../../../src/plugin/stream/event-stream.js';
import { STREAM_LIMITS, type StreamLimits } from '../../../src/plugin/stream/stream-limits.js';
import { createPluginDeliveries } from '../../../src/plugin/stream/plugin-deliveries.js';
import { PARTITIONS, type StreamStore } from '../../../src/ports/event-stream.js';
import { mongoDeliveryStore } from '../../../src/store/stream/delivery-store.js';
import { mongoStreamStore } from '../../../src/store/stream/stream-store.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import { toEventDocument } from '../../../src/store/tables/events.js';
import { eventually } from '../../support/eventually.js';

export const PLUGIN = 'tests';
export const DELIVERED: DeliveryOutcome = { kind: 'delivered' };
export const FAILED: DeliveryOutcome = { kind: 'failed', retry: true, reason: 'status 500' };

/** Intervals of a test, so that none waits for a second. */
const QUICK: StreamLimits = {
  ...STREAM_LIMITS,
  roundMs: 40,
  writeMs: 5,
  freshMs: 100,
  breakerOpenMs: 150,
  abortGraceMs: 20,
};

/** An attempt, as the receiver saw it. */
export interface Seen extends Pick<Delivery, 'id' | 'key' | 'attempt'> {
  readonly by: string;
  readonly seq: number;
  readonly tenantId: TenantId;
  readonly resource: string;
  readonly at: number;
  endedAt: number | undefined;
  outcome: DeliveryOutcome | undefined;
}

export interface Gateway {
  readonly name: string;
  readonly stream: EventStream;
  readonly store: StreamStore;
  /** Ends like a process that is killed: nothing of it runs any more, nothing is released. */
  readonly kill: () => void;
  /** The others think it dead; it may run on, and notices when it returns. */
  readonly evict: () => void;
  readonly comeBack: () => void;
  readonly isAlive: () => boolean;
}

export interface GatewayGiven {
  readonly limits?: Partial<StreamLimits>;
  readonly subscriber?: Partial<DurableSubscriber>;
  /** How long the database takes, and whether it fails. */
  readonly databaseMs?: () => number;
  readonly isAway?: () => boolean;
  readonly isBusy?: () => boolean;
  /** How long an answer of this method of the store is under way. */
  readonly answerMs?: (method: string) => number;
  readonly databaseTime?: () => Date;
  /** What its last heartbeat has listed. */
  readonly living?: () => readonly string[];
}

/** Names of different resources. */
export const users = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `user-${at}`);

const never = new Promise<never>(() => undefined);

/** Receivers and gateways' event streams on one real database. */
export class StreamWorld {
  readonly collections: Collections;
  readonly seen: Seen[] = [];
  readonly logged: { readonly level: string; readonly message: string; readonly fields: object }[] =
    [];
  readonly gateways = new Map<string, Gateway>();
  subscriptions: readonly Subscription[] = [{ key: 'alpha' }];
  /** How a receiver takes an attempt: what it responds, or nothing. */
  receive: (delivery: Delivery) => Promise<DeliveryOutcome> = () => Promise.resolve(DELIVERED);
  /** The version of the plugin's records, for commits. */
  version = 1;
  private readonly watches: (() => void)[] = [];
  private readonly heads = new Map<TenantId, number>();

  constructor(client: mongo.MongoClient) {
    this.collections = collectionsOf(client);
  }

  async clear(): Promise<void> {
    const { events, deliveries, cursors, streamPartitions, tenantState, deliveryRecoveries } =
      this.collections;
    const all = [events, deliveries, cursors, streamPartitions, tenantState, deliveryRecoveries];
    await Promise.all(all.map((each) => each.deleteMany({})));
  }

  async tenant(): Promise<TenantId> {
    const id = randomUUID() as TenantId;
    await this.collections.tenantState.insertOne({
      _id: id,
      seq: 0,
      v: 1,
      pluginVersions: { [PLUGIN]: this.version },
    } as never);
    this.heads.set(id, 0);
    return id;
  }

  gateway(name: string, given: GatewayGiven = {}): Gateway {
    const { databaseMs = () => 0, isAway = () => false } = given;
    const life = { isOver: false, isEvicted: false, evictions: 0 };
    const store = mongoStreamStore(this.collections, () => new Date());
    const remote = Object.fromEntries(
      Object.entries(store).map(([method, call]: [string, (...args: never[]) => unknown]) => [
        method,
        method === 'watch'
          ? async (...args: never[]) => {
              const close = (await call(...args)) as () => void;
              this.watches.push(close);
              return close;
            }
          : async (...args: never[]): Promise<unknown> => {
              if (databaseMs() > 0) await pause(databaseMs());
              if (life.isOver) return never;
              if (isAway()) throw new Error('The database is away.');
              const result = await call(...args);
              const answerMs = given.answerMs?.(method) ?? 0;
              if (answerMs > 0) await pause(answerMs);
              return this.isOver(life) ? never : result;
            },
      ]),
    ) as unknown as StreamStore;
    const write = (level: string) => (fields: object, message: string) =>
      void this.logged.push({ level, fields, message });
    const stream = createEventStream({
      subscribers: new Map([[PLUGIN, { ...this.subscriber(name, life), ...given.subscriber }]]),
      store: remote,
      owner: name,
      gateways: {
        living: given.living ?? (() => this.living()),
        timesEvicted: () => (life.isOver || life.isEvicted ? undefined : life.evictions),
      },
      databaseTime: given.databaseTime ?? (() => new Date()),
      log: {
        debug: write('debug'),
        info: write('info'),
        warn: write('warn'),
        error: write('error'),
      },
      limits: { ...QUICK, ...given.limits },
      ...(given.isBusy && { isBusy: given.isBusy }),
    });
    const gateway: Gateway = {
      name,
      stream,
      store: remote,
      kill: () => {
        life.isOver = true;
      },
      evict: () => {
        life.isEvicted = true;
      },
      comeBack: () => {
        life.isEvicted = false;
        life.evictions += 1;
      },
      isAlive: () => !life.isOver && !life.isEvicted,
    };
    this.gateways.set(name, gateway);
    stream.start();
    return gateway;
  }

  /** Resolves when the gateway owns so many partitions. */
  owns(name: string, count: number): Promise<void> {
    return eventually(async () => {
      const owned = { n: { $exists: true }, owner: name };
      expect(await this.collections.streamPartitions.countDocuments(owned)).toBe(count);
    });
  }

  /** A gateway that owns all partitions. */
  async owner(name = 'one', given: GatewayGiven = {}): Promise<Gateway> {
    const gateway = this.gateway(name, given);
    await this.owns(name, PARTITIONS);
    return gateway;
  }

  /** What a commit of this gateway writes and announces; undefined: the announcement is lost. */
  async commit(
    by: Gateway | undefined,
    tenantId: TenantId,
    resources: readonly string[],
    name: EventName = 'user.updated',
  ): Promise<readonly DomainEvent[]> {
    const before = this.heads.get(tenantId) ?? 0;
    const events = resources.map((id, index) => ({
      id: randomUUID() as EventId,
      name,
      resource: { kind: 'user' as const, id },
      data: {},
      tenantId,
      tenantSlug: 'acme',
      seq: before + index + 1,
      at: new Date(),
      apiKeyId: null,
    }));
    const seq = before + events.length;
    const at = performance.now();
    await this.collections.events.insertMany(
      events.map((event) => toEventDocument(event)),
      { writeConcern: { w: 'majority' } },
    );
    await this.collections.tenantState.updateOne({ _id: tenantId }, { $set: { seq } });
    this.heads.set(tenantId, seq);
    by?.stream.committed({
      tenant: { id: tenantId, pluginVersions: { [PLUGIN]: this.version } },
      ...{ events, seq, at },
    });
    return events;
  }

  /** A change of the plugin's records. */
  async subscribe(subscriptions: readonly Subscription[]): Promise<void> {
    this.subscriptions = subscriptions;
    this.version += 1;
    await this.collections.tenantState.updateMany(
      {},
      { $set: { [`pluginVersions.${PLUGIN}`]: this.version } },
    );
  }

  living(): readonly string[] {
    return [...this.gateways.values()].filter((one) => one.isAlive()).map((one) => one.name);
  }

  head(tenantId: TenantId): number {
    return this.heads.get(tenantId) ?? 0;
  }

  deliveries(by?: Gateway) {
    return createPluginDeliveries({
      store: mongoDeliveryStore(this.collections, PLUGIN, () => new Date()),
      subscriber: () => ({ subscriptions: () => Promise.resolve(this.subscriptions) }),
      onQueued: () => by?.stream.wake(),
    });
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.gateways.values()].map(async ({ stream, isAlive, kill }) => {
        // One that is evicted now must not come back to the next world.
        if (isAlive()) await stream.stop(1_000);
        else kill();
      }),
    );
    for (const close of this.watches) close();
  }

  /** It may have been killed in the meantime. */
  private isOver({ isOver }: { readonly isOver: boolean }): boolean {
    return isOver;
  }

  private subscriber(name: string, life: { readonly isOver: boolean }): DurableSubscriber {
    return {
      subscriptions: async () => (life.isOver ? never : Promise.resolve(this.subscriptions)),
      isByRecord: true,
      deliver: (delivery, signal) => this.attempt(delivery, signal, { name, life }),
      retry: [30, 60, 120, 240, 480],
      concurrency: 8,
    };
  }

  private async attempt(
    delivery: Delivery,
    signal: AbortSignal,
    { name, life }: { readonly name: string; readonly life: { readonly isOver: boolean } },
  ): Promise<DeliveryOutcome> {
    if (life.isOver) return never;
    const { id, key, attempt, event } = delivery;
    const seen: Seen = {
      ...{ id, key, attempt, by: name, seq: event.seq, tenantId: event.tenantId },
      resource: event.resource.id,
      at: performance.now(),
      endedAt: undefined,
      outcome: undefined,
    };
    this.seen.push(seen);
    const aborted = new Promise<DeliveryOutcome>((resolve) => {
      signal.addEventListener('abort', () => resolve(FAILED));
    });
    const outcome = await Promise.race([this.receive(delivery), aborted]);
    seen.endedAt = performance.now();
    seen.outcome = outcome;
    return this.isOver(life) ? never : outcome;
  }
}

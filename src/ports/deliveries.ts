import type { EventName } from '../domain/events.js';
import type { DeliveryId, EventId, TenantId } from '../domain/kernel/ids.js';
import type { JsonObject } from '../domain/kernel/json.js';

/* Stored deliveries and attempts, as plugins show them and the store reads them. */

/** The states of a delivery. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What a subscriber stores of an attempt for display. No secrets. */
export interface StoredAttempt {
  /** Shown in lists. */
  readonly summary: JsonObject;
  /** Shown for a single delivery; at most a few KiB. */
  readonly details?: JsonObject;
}

/** A completed attempt. It may be lost in a crash, because it is only displayed. */
export interface AttemptRecord {
  readonly at: Date;
  readonly ms: number;
  readonly reason: string | null;
  readonly kept: StoredAttempt | null;
}

/** The delivery of an event to a key, with its attempts. */
export interface DeliveryRecord {
  readonly id: DeliveryId;
  readonly key: string;
  readonly event: {
    readonly id: EventId;
    readonly name: EventName;
    readonly seq: number;
    readonly at: Date;
    /** Of records that a plugin gets, unless the event has been deleted. */
    readonly data?: JsonObject;
  };
  readonly state: DeliveryState;
  /** Time of the next attempt; null if it is due or in progress, or the delivery is finished. */
  readonly nextAt: Date | null;
  /** Time and reason of its end, or of the end of its last attempt; null before the first. */
  readonly last: { readonly at: Date; readonly reason: string | null } | null;
  /** Oldest first. */
  readonly attempts: readonly AttemptRecord[];
}

/** Deliveries to some keys of one tenant. */
export interface DeliveryScope {
  readonly tenantId: TenantId;
  readonly keys: readonly string[];
  /** Keys that get no more deliveries: their pending deliveries count as dropped. Default: none. */
  readonly ended?: readonly string[];
}

/** Which deliveries a page shows. */
export interface DeliveryQuery extends DeliveryScope {
  readonly events?: readonly EventName[];
  readonly state?: DeliveryState;
  /** Events from this time on. */
  readonly since?: Date;
  /** Events before this time. */
  readonly until?: Date;
  readonly limit: number;
  readonly offset: number;
}

/** A page of deliveries. */
export interface DeliveryPage {
  /** Newest event first; attempts without their details. */
  readonly deliveries: readonly DeliveryRecord[];
  /** Counted up to MAX_COUNTED. */
  readonly total: number;
}

/** Limits the cost of counting. */
export const MAX_COUNTED = 10_000;

/** Which events. */
export type EventFilter = Pick<DeliveryQuery, 'events' | 'since' | 'until'>;

/** The deliveries of a plugin. Methods reject with a RefusalError if the database is away. */
export interface DeliveryStore {
  /** A page of those with a record, newest event first; attempts without their details. */
  readonly list: (query: DeliveryQuery) => Promise<readonly DeliveryRecord[]>;
  /** Those with a record, up to MAX_COUNTED. */
  readonly count: (query: DeliveryQuery) => Promise<number>;
  readonly find: (owner: DeliveryScope, id: DeliveryId) => Promise<DeliveryRecord | undefined>;
  /** The data of events, by id; deleted ones are absent. */
  readonly dataOf: (ids: readonly EventId[]) => Promise<ReadonlyMap<string, JsonObject>>;
  /** The last MAX_COUNTED events that the key has not settled and that have no record. */
  readonly waiting: (
    key: { readonly tenantId: TenantId; readonly key: string; readonly after?: number | undefined },
    filter: EventFilter,
  ) => Promise<readonly DeliveryRecord[]>;
  /** Queues a recorded delivery again; false if there is none. */
  readonly requeue: (request: RedeliverRequest) => Promise<boolean>;
  /** Queues an event that has no record, beside its first attempt; false if it has one by now. */
  readonly enqueue: (tenantId: TenantId, waiting: DeliveryRecord) => Promise<boolean>;
  readonly recover: (request: RecoverRequest) => Promise<Recovery>;
  readonly findRecovery: (owner: DeliveryScope, id: string) => Promise<Recovery | undefined>;
}

/** Sends a delivery again, to the same or another of the keys. */
export interface RedeliverRequest extends DeliveryScope {
  readonly id: DeliveryId;
  readonly to: string;
}

/** Sends failed deliveries again. */
export interface RecoverRequest extends DeliveryScope {
  /** A repeated request with the same id is the same recovery. */
  readonly id: string;
  readonly to: string;
  /** Recovers all deliveries that have failed since then. */
  readonly since: Date;
}

/** The states of a recovery. */
export const RECOVERY_STATES = ['running', 'done', 'stopped'] as const;

/** Failed deliveries that are sent again in the background. */
export interface Recovery {
  readonly id: string;
  readonly since: Date;
  /** `stopped`: the key gets no more deliveries. */
  readonly state: (typeof RECOVERY_STATES)[number];
  /** Deliveries queued again; 0 until it has ended. A crash may leave some uncounted. */
  readonly recovered: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

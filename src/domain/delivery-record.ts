import type { EventName } from './events.js';
import type { DeliveryId, EventId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';

/*
 * What is told of deliveries afterwards: the words between a plugin that shows them and the store
 * that keeps them.
 */

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What a subscriber wants kept of an attempt, for people to look at; no secrets. */
export interface KeptOfAttempt {
  /** Short: shown in lists. */
  readonly summary: JsonObject;
  /** The rest, a few KiB at most: shown of one delivery alone. */
  readonly details?: JsonObject;
}

/** An attempt that was made. What is kept of it may be lost in a crash: it is for looking at. */
export interface AttemptRecord {
  readonly at: Date;
  readonly ms: number;
  readonly reason: string | null;
  readonly kept: KeptOfAttempt | null;
}

/** An event owed to a key, and what has become of it. */
export interface DeliveryRecord {
  readonly id: DeliveryId;
  readonly key: string;
  readonly event: {
    readonly id: EventId;
    readonly name: EventName;
    readonly seq: number;
    readonly at: Date;
  };
  readonly state: DeliveryState;
  /** When it may be tried next; null where it is over or being tried right now. */
  readonly nextAt: Date | null;
  /** When and why it ended, or its last attempt did; null before the first. */
  readonly last: { readonly at: Date; readonly reason: string | null } | null;
  /** Oldest first. */
  readonly attempts: readonly AttemptRecord[];
}

/** Whose deliveries: a subscriber's keys of one tenant. */
export interface DeliveryOwner {
  readonly tenantId: TenantId;
  readonly keys: readonly string[];
  /**
   * Those of the keys under which nothing is sent any more: what still waits under one is dropped,
   * though nobody may have met it yet. Absent: none.
   */
  readonly ended?: readonly string[];
}

export interface DeliveryQuery extends DeliveryOwner {
  readonly event?: EventName;
  readonly state?: DeliveryState;
  /** The event happened then or later. */
  readonly since?: Date;
  /** The event happened before. */
  readonly until?: Date;
  readonly limit: number;
  readonly offset: number;
}

export interface DeliveryPage {
  /** Newest event first; attempts without their details. */
  readonly deliveries: readonly DeliveryRecord[];
  /** Counted no further than MOST_COUNTED. */
  readonly total: number;
}

/** A count costs as much as there is to count. */
export const MOST_COUNTED = 10_000;

/** To whom deliveries are owed anew: one of the owner's keys, which need not be the one of before. */
export interface RedeliverRequest extends DeliveryOwner {
  readonly id: DeliveryId;
  readonly to: string;
}

export interface RecoverRequest extends DeliveryOwner {
  /** Asked again under the same one, it is the same recovery. */
  readonly id: string;
  readonly to: string;
  /** All that has failed for good since then. */
  readonly since: Date;
}

export const RECOVERY_STATES = ['running', 'done', 'stopped'] as const;

/** Failed deliveries on their way to be tried again, in the background. */
export interface Recovery {
  readonly id: string;
  readonly since: Date;
  /** Stopped: the key was no longer served. */
  readonly state: (typeof RECOVERY_STATES)[number];
  /** Deliveries that were put back so far; a crash may leave some uncounted. */
  readonly recovered: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

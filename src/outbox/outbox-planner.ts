import type { EventName, DomainEvent } from '../domain/events.js';
import type { DeliveryId, EventId, TenantId } from '../domain/kernel/ids.js';
import type { Chunked } from '../domain/kernel/chunked.js';
import type { Tenant } from '../domain/tenant/tenant.js';

interface OutboxRowBase {
  readonly tenantId: TenantId;
  readonly plugin: string;
  /** The recipient within the plugin, for example `registration:epoch`. */
  readonly key: string;
  /** When it may be claimed; if it is inserted with a lease, the end of the lease. */
  readonly due: Date;
}

/** A pending delivery of an event to a key, as it is inserted (pipeline-rules.md 7). */
export interface OutboxEvent extends OutboxRowBase {
  /** UUIDv5 of event and key, so that it is always the same. */
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly seq: number;
  /** Name and time of the event, for lists of deliveries. */
  readonly name: EventName;
  readonly at: Date;
  /** Kind and id of the event's resource; deliveries of one resource are sent in order of seq. */
  readonly resource: string;
  /** The instance that has it in memory, or null. */
  readonly owner: string | null;
}

/** Pending deliveries of many events of one batch to one key, as one row (pipeline-rules.md 2). */
export interface OutboxSpan extends OutboxRowBase {
  /** The id of the row; its deliveries have ids of their own, derived from event and key. */
  readonly id: DeliveryId;
  /** The positions of the events in the tenant's log, ascending; at least one. */
  readonly seqs: readonly number[];
  readonly owner: null;
}

export type OutboxRow = OutboxEvent | OutboxSpan;

export const isSpan = (row: OutboxRow): row is OutboxSpan => 'seqs' in row;

/**
 * Plans the deliveries of a batch's events to durable subscribers, as outbox rows for the same
 * transaction. The caller passes all rows that `plan` returned to either `committed` or `abandoned`,
 * once: until then they take up memory of this instance.
 */
export interface OutboxPlanner {
  /**
   * Loads the subscriptions of the tenant as it was gathered. Called before `plan`. Rejects with
   * StoreUnavailable if they cannot be loaded: then the batch must not be committed, because its
   * events would have no deliveries.
   */
  readonly prepare: (tenant: Tenant) => Promise<void>;
  /**
   * Never throws. `now` is the server's time as gathered (pipeline-rules.md 7). A row is leased to
   * this instance if it will be sent from memory; otherwise it is due immediately for any instance.
   */
  readonly plan: (
    tenant: Tenant,
    events: readonly DomainEvent[],
    now: Date,
  ) => Chunked<readonly OutboxRow[]>;
  /** After the commit: starts to send the rows leased to this instance. Never throws or waits. */
  readonly committed: (rows: readonly OutboxRow[], events: readonly DomainEvent[]) => void;
  /**
   * The commit failed ('nothing' was written), or its result is 'unknown'. Frees the memory of the
   * rows. If they were written after all, they are sent soon, or when their lease ends.
   */
  readonly abandoned: (rows: readonly OutboxRow[], written: 'nothing' | 'unknown') => void;
}

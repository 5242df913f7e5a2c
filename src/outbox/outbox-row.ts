import type { EventName } from '../domain/events.js';
import type { DeliveryId, EventId, TenantId } from '../domain/kernel/ids.js';

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

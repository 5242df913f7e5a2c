import type { EventName } from './events.js';
import type { DeliveryId, EventId, TenantId } from './ids.js';

interface Owed {
  readonly tenantId: TenantId;
  readonly plugin: string;
  /** To whom within the plugin, for example `registration:epoch`. */
  readonly key: string;
  /** When it may be taken; the end of the lease where it was born leased. */
  readonly due: Date;
}

/** An event owed to one key of a durable subscriber, as it is first written (pipeline-rules.md 7). */
export interface OwedEvent extends Owed {
  /** UUIDv5 of event and key: the same however often it is worked out. */
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly seq: number;
  /** What happened, and when: for lists of deliveries. */
  readonly name: EventName;
  readonly at: Date;
  /** Kind and id of what the event is about; rows of one resource go out in order of seq. */
  readonly resource: string;
  /** The instance that holds it in memory, or null where none does. */
  readonly owner: string | null;
}

/** Many events of one batch that are owed to one key, as one row (pipeline-rules.md 2). */
export interface OwedSpan extends Owed {
  /** Of its own, and of no delivery: those of its events follow from event and key. */
  readonly id: DeliveryId;
  /** The places of exactly those events in the tenant's log, ascending; at least one. */
  readonly seqs: readonly number[];
  readonly owner: null;
}

export type OutboxRow = OwedEvent | OwedSpan;

export const isSpan = (row: OutboxRow): row is OwedSpan => 'seqs' in row;

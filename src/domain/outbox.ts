import type { DeliveryId, EventId, TenantId } from './ids.js';

/** An event owed to one key of a durable subscriber, as it is first written (pipeline-rules.md 7). */
export interface OutboxRow {
  /** UUIDv5 of event and key: the same however often it is worked out. */
  readonly id: DeliveryId;
  readonly tenantId: TenantId;
  readonly plugin: string;
  /** To whom within the plugin, for example `registration:epoch`. */
  readonly key: string;
  readonly eventId: EventId;
  readonly seq: number;
  /** Kind and id of what the event is about; rows of one resource go out in order of seq. */
  readonly resource: string;
  /** When it may be taken; the end of the lease where it was born leased. */
  readonly due: Date;
  /** The instance that holds it in memory, or null where none does. */
  readonly owner: string | null;
}

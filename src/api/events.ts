import type { DomainEvent, EventName } from '../domain/events.js';
import type { TenantId } from '../domain/kernel/ids.js';

export interface EventQuery {
  /** Return events after this position in the log; 0: from the start. */
  readonly after: number;
  readonly limit: number;
  /** Default: all events. */
  readonly names?: readonly EventName[];
}

export interface EventPage {
  /** In order of position. */
  readonly events: readonly DomainEvent[];
  /** The last position that was read; the next page starts after it. */
  readonly upTo: number;
  /** Whether the log has later events. */
  readonly hasMore: boolean;
  /** Whether events after the requested position have been deleted from the log. */
  readonly hasGap: boolean;
}

/** Reads a tenant's event log. Rejects with a RefusalError UNAVAILABLE. */
export interface EventReader {
  readonly page: (tenantId: TenantId, query: EventQuery) => Promise<EventPage>;
}

import type { DomainEvent, EventName } from '../domain/events.js';
import type { TenantId } from '../domain/ids.js';

export interface EventQuery {
  /** The place in the tenant's log after which to begin; 0: at the beginning. */
  readonly after: number;
  readonly limit: number;
  /** Absent: events of every name. */
  readonly names?: readonly EventName[];
}

export interface EventPage {
  /** In order of their place. */
  readonly events: readonly DomainEvent[];
  /** Every place up to this one has been looked at; the next page begins after it. */
  readonly upTo: number;
  /** Whether there are more already. */
  readonly hasMore: boolean;
  /** Whether the log has forgotten events that came after the place that was named. */
  readonly hasGap: boolean;
}

/** Reads of a tenant's event log. Rejects with RefusalError UNAVAILABLE. */
export interface EventReader {
  readonly page: (tenantId: TenantId, query: EventQuery) => Promise<EventPage>;
}

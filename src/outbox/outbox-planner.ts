import type { DomainEvent } from '../domain/events.js';
import type { Chunked } from '../domain/kernel/chunked.js';
import type { OutboxRow } from './outbox-row.js';
import type { Tenant } from '../domain/tenant/tenant.js';

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

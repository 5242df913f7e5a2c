import type { DomainEvent } from '../domain/events.js';
import type { Pieces } from '../domain/in-pieces.js';
import type { OutboxRow } from '../domain/outbox.js';
import type { Tenant } from '../domain/tenant.js';
import type { StoreUnavailable } from './commit-store.js';

/**
 * What the commit stage asks of the durable subscribers: to whom its events are owed, as rows for
 * the same transaction (architecture.md, "The event stream and its subscribers"). Every row that
 * `plan` returned is given back exactly once, by `committed` or by `abandoned`: it holds one of the
 * places that bound the memory of the instance.
 */
export interface OutboxPlanner {
  /**
   * Makes the subscribers ready for this tenant's events; call it with the tenant as it was
   * gathered, before `plan`. Rejects with StoreUnavailable where a subscriber cannot know whom it
   * serves: the batch must not be committed then, for its events would be owed to nobody.
   */
  readonly prepare: (tenant: Tenant) => Promise<void>;
  /**
   * Waits for nothing, never throws. `now` is the server's time as gathered (pipeline-rules.md 7). Each
   * row is born leased where this instance will send it from memory, else due at once for any
   * instance.
   */
  readonly plan: (
    tenant: Tenant,
    events: readonly DomainEvent[],
    now: Date,
  ) => Pieces<readonly OutboxRow[]>;
  /** After the commit: what was born leased is sent at once. Never throws, never waits. */
  readonly committed: (rows: readonly OutboxRow[], events: readonly DomainEvent[]) => void;
  /**
   * The batch was not committed, or nobody knows: the rows' places are free again. Where nobody
   * knows, rows that are there are sent soon; rows that are still to come, when their lease ends.
   */
  readonly abandoned: (rows: readonly OutboxRow[], written: StoreUnavailable['written']) => void;
}

import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryId, EventId } from '../../domain/kernel/ids.js';
import type {
  Acknowledgement,
  Claimed,
  ClaimRequest,
  EndRequest,
  Expansion,
  LogPositions,
  OrderQuery,
  OutboxCounts,
} from '../../outbox/outbox-claims.js';

/**
 * The engine's queries and writes. All times are the database's own, so that no gateway's clock can
 * shorten or extend a lease. Methods reject if the database does not respond, and can then be
 * retried: a row that was claimed or not acknowledged is due again when its lease expires.
 */
export interface OutboxStore {
  /**
   * Claims rows and spans that are due: never owned, released, to be retried, or with an expired
   * lease. A row is not claimed if an earlier span of its tenant and key is pending.
   */
  readonly claimDue: (request: ClaimRequest) => Promise<Claimed>;
  /**
   * Writes rows, leased by the claim of their spans, and releases what is left of these. Returns
   * the rows that it created: an existing row belongs to another claim. Can be repeated by any
   * instance after an interruption: ids derive from event and key, so there are no duplicates.
   */
  readonly expand: (expansions: readonly Expansion[]) => Promise<ReadonlySet<DeliveryId>>;
  /** Ends attempts. One of a row that is no longer held by that owner and claim has no effect. */
  readonly acknowledge: (batch: readonly Acknowledgement[]) => Promise<void>;
  /** Releases all rows of the owner for these plugins: due now, for any instance. */
  readonly release: (owner: string, plugins: readonly string[]) => Promise<void>;
  /** Returns how many events there were. */
  readonly endWaiting: (request: EndRequest) => Promise<number>;
  /** For each question the place of the earliest such row or span, or undefined where there is none. */
  readonly earliestUnsent: (
    questions: readonly OrderQuery[],
  ) => Promise<readonly (number | undefined)[]>;
  /** Those that the log still has. */
  readonly readEvents: (ids: readonly EventId[]) => Promise<ReadonlyMap<EventId, DomainEvent>>;
  /** Those that the tenant's log still has at these places. */
  readonly readLog: (places: readonly LogPositions[]) => Promise<readonly DomainEvent[]>;
  readonly counts: () => Promise<OutboxCounts>;
}

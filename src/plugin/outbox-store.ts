import type { DomainEvent } from '../domain/events.js';
import type { DeliveryId, EventId } from '../domain/ids.js';
import type {
  Acknowledgement,
  Claimed,
  ClaimRequest,
  EndRequest,
  Expansion,
  LogPositions,
  OrderQuery,
  OutboxCounts,
} from '../domain/outbox-work.js';

/**
 * What the engine asks of the database. All times are the database's own, so that no gateway's
 * clock can end or stretch a lease. Methods reject where the database does not answer: everything
 * may then be asked again, for a row that was taken or not ended comes back when its lease ends.
 */
export interface OutboxStore {
  /**
   * Takes rows and spans that are due: never owned, given back, to be retried, or with a lease that
   * ran out. A row whose tenant owes the key a span from before it in the log is not taken.
   */
  readonly claimDue: (request: ClaimRequest) => Promise<Claimed>;
  /**
   * Writes rows, leased by the claim of their spans, and lets go of what stays of these. Returns
   * those that it made: a row that was there already is somebody else's. Cut short, it may be
   * repeated by anybody: ids follow from event and key, so nothing is there twice.
   */
  readonly expand: (expansions: readonly Expansion[]) => Promise<ReadonlySet<DeliveryId>>;
  /** Ends attempts. One of a row that is no longer held by that owner and claim has no effect. */
  readonly acknowledge: (batch: readonly Acknowledgement[]) => Promise<void>;
  /** Lets go of everything that the owner holds for these plugins: due now, for any instance. */
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

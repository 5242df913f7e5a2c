import type { StoredAttempt } from './delivery-record.js';
import type { DeliveryId, EventId, TenantId } from '../domain/kernel/ids.js';
import type { OutboxEvent } from './outbox-planner.js';
import type { DomainEvent } from '../domain/events.js';

/*
 * The data types of OutboxStore (src/plugin), the port between the delivery engine and the store.
 */

interface LeaseRenewal {
  /**
   * Its previous claim, if this instance had claimed it before and that lease has expired. Absent if
   * it was claimed anew: whatever the instance holds of it then is from before its last end.
   */
  readonly renews?: string | null;
}

/** A row that this instance has claimed. Only its claim may end it. */
export interface ClaimedRow extends LeaseRenewal {
  readonly id: DeliveryId;
  readonly tenantId: TenantId;
  readonly plugin: string;
  readonly key: string;
  readonly eventId: EventId;
  readonly seq: number;
  readonly resource: string;
  readonly claim: string;
  /** Number of the attempt, from 1. Attempts that a crash interrupted count. */
  readonly attempt: number;
  /** Whether an attempt has failed. Then later rows of the resource need not wait for it. */
  readonly hasFailed: boolean;
}

/** Positions in a tenant's log. */
export interface LogPositions {
  readonly tenantId: TenantId;
  readonly seqs: readonly number[];
}

/**
 * The start of a span that this instance has claimed, to expand it into rows: the positions of its
 * next events, at least one, limited by the capacity in the request.
 */
export interface ClaimedSpan extends LogPositions, LeaseRenewal {
  readonly id: DeliveryId;
  readonly plugin: string;
  readonly key: string;
  readonly claim: string;
  /** The rest of the span: its first position and number of events; null if nothing remains. */
  readonly rest: { readonly seq: number; readonly left: number } | null;
  /** The end of the lease, also of the rows. */
  readonly leasedUntil: Date;
}

/** Rows that replace the start of a span. */
export interface Expansion {
  readonly span: ClaimedSpan;
  readonly owner: string;
  /** One for each of its next events. */
  readonly rows: readonly OutboxEvent[];
}

export interface ClaimRequest {
  readonly plugin: string;
  readonly owner: string;
  readonly claim: string;
  readonly leaseMs: number;
  /** Maximum number of rows and of events of spans. */
  readonly limit: number;
  /** Further events of claimed spans, because expanding more of a span costs the same. */
  readonly more: number;
  /** Maximum number of events of one key while others have more, so that no key fills the batch. */
  readonly share: number;
  /** Maximum number of events per key; unlimited for keys that are not named. */
  readonly capacity: ReadonlyMap<string, number>;
}

export interface Claimed {
  /** In order of seq. */
  readonly rows: readonly ClaimedRow[];
  /** At most one per key and tenant, because later events wait for it. */
  readonly spans: readonly ClaimedSpan[];
  /** Keys that may have more due deliveries than were claimed. */
  readonly crowded: readonly string[];
  /** Whether other keys may have due rows that were not read. */
  readonly more: boolean;
}

/** The result of a claim. */
export type ClaimResult =
  | { readonly kind: 'delivered' | 'failed' | 'dropped' }
  /** The attempt failed. The row may be claimed again after this time. */
  | { readonly kind: 'retry'; readonly inMs: number }
  /** No attempt was made. The row may be claimed again after this time. */
  | { readonly kind: 'deferred'; readonly inMs: number };

export interface FinishedAttempt {
  readonly reason: string | null;
  readonly ms: number;
  /** Stored for display; absent if no request was sent. */
  readonly record?: {
    readonly tenantId: TenantId;
    readonly kept: StoredAttempt | null;
    /** Whether the row has no attempt yet. */
    readonly isFirst: boolean;
  };
}

export interface Acknowledgement {
  readonly id: DeliveryId;
  readonly owner: string;
  /** Null for a row that was inserted with a lease. */
  readonly claim: string | null;
  readonly result: ClaimResult;
  /** Absent if no attempt was made. */
  readonly attempt?: FinishedAttempt;
}

/** Query whether earlier rows of a resource, or spans, wait for their first attempt elsewhere. */
export interface OrderQuery {
  readonly plugin: string;
  readonly key: string;
  readonly tenantId: TenantId;
  readonly resource: string;
  readonly beforeSeq: number;
  /** Rows that this instance has in memory and keeps in order itself. */
  readonly except: readonly DeliveryId[];
}

/** Ends all rows and spans of a key that no instance has claimed. */
export interface EndRequest {
  readonly plugin: string;
  readonly key: string;
  /** Absent: all tenants. */
  readonly tenantId?: TenantId;
  readonly kind: 'failed' | 'dropped';
  /** Only rows that have been due for this time; absent: all, including those due later. */
  readonly overdueMs?: number;
  readonly reason: string;
}

export interface OutboxCounts {
  /** Pending deliveries by plugin. */
  readonly pending: ReadonlyMap<string, number>;
  /** How long the most overdue delivery of each plugin has been due; 0 if none is. */
  readonly overdueMs: ReadonlyMap<string, number>;
}

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

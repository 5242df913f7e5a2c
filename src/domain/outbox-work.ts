import type { KeptOfAttempt } from './delivery-record.js';
import type { DeliveryId, EventId, TenantId } from './ids.js';
import type { OwedEvent } from './outbox.js';

/*
 * What the delivery engine and the outbox tell each other: the words of the interface OutboxStore
 * (src/plugin), which the store implements without knowing the engine.
 */

/** A row that this instance has claimed, and by which claim it may end it. */
export interface ClaimedRow {
  readonly id: DeliveryId;
  readonly tenantId: TenantId;
  readonly plugin: string;
  readonly key: string;
  readonly eventId: EventId;
  readonly seq: number;
  readonly resource: string;
  readonly claim: string;
  /** The attempt that this claim is for, from 1; one that a crash cut short has counted. */
  readonly attempt: number;
  /** Whether an attempt has failed already: then later rows of the resource may pass it. */
  readonly hasFailed: boolean;
}

/** Places in a tenant's log. */
export interface LogPlaces {
  readonly tenantId: TenantId;
  readonly seqs: readonly number[];
}

/**
 * The beginning of a span that this instance has claimed, to make rows of: the places of its next
 * events, at least one, and no more than there was room for.
 */
export interface ClaimedSpan extends LogPlaces {
  readonly id: DeliveryId;
  readonly plugin: string;
  readonly key: string;
  readonly claim: string;
  /** What stays of it after these: the next place, and how many events; null where nothing does. */
  readonly rest: { readonly seq: number; readonly left: number } | null;
  /** When the lease ends: that of the rows is the same. */
  readonly leasedUntil: Date;
}

/** Rows that take the place of the beginning of a span. */
export interface Expansion {
  readonly span: ClaimedSpan;
  readonly owner: string;
  /** Of the span's key, each an event of its next ones. */
  readonly rows: readonly OwedEvent[];
}

export interface ClaimRequest {
  readonly plugin: string;
  readonly owner: string;
  readonly claim: string;
  readonly leaseMs: number;
  /** Rows, and events of spans. */
  readonly limit: number;
  /** Events beyond the limit: of spans that are taken, for to expand one costs the same for many. */
  readonly more: number;
  /** How many events of one key are taken before those of others, so that no key fills the batch. */
  readonly share: number;
  /** How many events of a key can be taken at all; a key that is not named has room for any number. */
  readonly room: ReadonlyMap<string, number>;
}

export interface Claimed {
  /** In order of seq. */
  readonly rows: readonly ClaimedRow[];
  /** Of a key and tenant no more than one: what comes later in the log waits for it. */
  readonly spans: readonly ClaimedSpan[];
  /** Keys of which more was due than was taken, or would be but for a span before it. */
  readonly crowded: readonly string[];
  /** Whether further keys may have due rows that nobody looked at. */
  readonly more: boolean;
}

/** How an attempt, or the wait for one, ended. */
export type Ending =
  | { readonly kind: 'delivered' | 'failed' | 'dropped' }
  /** The attempt failed; the row may be taken again after so many milliseconds. */
  | { readonly kind: 'retry'; readonly inMs: number }
  /** No attempt was made; the row may be taken again after so many milliseconds. */
  | { readonly kind: 'deferred'; readonly inMs: number };

export interface EndedAttempt {
  readonly reason: string | null;
  readonly ms: number;
  /** For people to look at; absent where nothing was tried. */
  readonly record?: { readonly tenantId: TenantId; readonly kept: KeptOfAttempt | null };
}

export interface Acknowledgement {
  readonly id: DeliveryId;
  readonly owner: string;
  /** Null for a row that was born leased. */
  readonly claim: string | null;
  readonly ending: Ending;
  /** What is kept of the attempt; absent where none was made. */
  readonly attempt?: EndedAttempt;
}

/** Whether rows of a resource before this place, or spans, wait for their first attempt elsewhere. */
export interface OrderQuestion {
  readonly plugin: string;
  readonly key: string;
  readonly tenantId: TenantId;
  readonly resource: string;
  readonly beforeSeq: number;
  /** Rows that this instance holds itself, and keeps in order itself. */
  readonly except: readonly DeliveryId[];
}

/** The rows and spans of a key that no instance holds, ended together. */
export interface EndRequest {
  readonly plugin: string;
  readonly key: string;
  /** Absent: of every tenant. */
  readonly tenantId?: TenantId;
  readonly kind: 'failed' | 'dropped';
  /** Only those that have been due for at least so long; absent: all, also those due later. */
  readonly overdueMs?: number;
  readonly reason: string;
}

export interface OutboxCounts {
  /** Events still owed, by plugin. */
  readonly owed: ReadonlyMap<string, number>;
  /** How long the one that is most overdue has been due; 0 where none is. */
  readonly overdueMs: number;
}

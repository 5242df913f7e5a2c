import type { DeliveryId, EventId, TenantId } from './ids.js';

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

export interface ClaimRequest {
  readonly plugin: string;
  readonly owner: string;
  readonly claim: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** How many rows of one key are taken before those of others, so that no key fills the batch. */
  readonly share: number;
  /** How many rows of a key can be taken at all; a key that is not named has room for any number. */
  readonly room: ReadonlyMap<string, number>;
}

export interface Claimed {
  /** In order of seq. */
  readonly rows: readonly ClaimedRow[];
  /** Keys of which more was due than was taken. */
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

export interface Acknowledgement {
  readonly id: DeliveryId;
  readonly owner: string;
  /** Null for a row that was born leased. */
  readonly claim: string | null;
  readonly ending: Ending;
  /** What is kept of the attempt; absent where none was made. */
  readonly attempt?: { readonly reason: string | null; readonly ms: number };
}

/** Whether rows of a resource before this place wait for their first attempt somewhere else. */
export interface OrderQuestion {
  readonly plugin: string;
  readonly key: string;
  readonly resource: string;
  readonly beforeSeq: number;
  /** Rows that this instance holds itself, and keeps in order itself. */
  readonly except: readonly DeliveryId[];
}

/** The rows of a key that no instance holds, ended together. */
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
  /** Rows still owed, by plugin. */
  readonly owed: ReadonlyMap<string, number>;
  /** How long the one that is most overdue has been due; 0 where none is. */
  readonly overdueMs: number;
}

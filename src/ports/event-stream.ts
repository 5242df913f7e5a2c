import type { DomainEvent } from '../domain/events.js';
import type { DeliveryId, TenantId } from '../domain/kernel/ids.js';
import type { StoredAttempt } from './deliveries.js';

/*
 * The port between the event stream (src/plugin/stream) and the store.
 */

/** How many parts the tenants are divided into; each part belongs to one gateway. */
export const PARTITIONS = 64;

/** The partition of a tenant: FNV-1a over its id. */
export const partitionOf = (tenantId: TenantId): number => {
  let hash = 0x811c9dc5;
  for (const char of tenantId) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % PARTITIONS;
};

/** A partition and the gateway that owns it. */
export interface Partition {
  readonly id: number;
  readonly owner: string | null;
  /** Incremented by each gateway that takes it: the fence of all writes in it. */
  readonly token: number;
}

/** The subscriptions of a plugin in a tenant, whose positions are one document. */
export interface CursorAddress {
  readonly plugin: string;
  readonly tenantId: TenantId;
}

/** Where a subscription is in the tenant's log. */
export interface KeyPosition {
  readonly key: string;
  /** Every event up to it is settled: delivered, not wanted, given up, or in a retry. */
  readonly at: number;
  /** So are those up to here, except the ones in `open`. */
  readonly upTo: number;
  readonly open: readonly number[];
  /** Its receiver does not respond: what waits for it is not overdue. */
  readonly isPaused?: true;
}

export interface Cursor {
  /** Where subscriptions without a position begin that state none. */
  readonly base: number;
  readonly keys: readonly KeyPosition[];
}

/** A cursor with new positions. */
export interface MovedCursor extends CursorAddress {
  /** Written only if the document still has it. */
  readonly token: number;
  /** Events up to it are settled for all keys. */
  readonly low: number;
  readonly keys: readonly KeyPosition[];
}

/** A tenant with events that no subscription of the plugin has settled. */
export interface Lagging extends CursorAddress {
  /** The end of the tenant's log. */
  readonly head: number;
  /** The version of the plugin's records. */
  readonly version: number;
}

/** What becomes of a delivery. */
export type Ending =
  | { readonly kind: 'delivered' | 'failed' | 'dropped' }
  | { readonly kind: 'retry'; readonly inMs: number };

/** The end of an attempt, or of a delivery that none was made for. */
export interface DeliveryResult {
  readonly id: DeliveryId;
  readonly plugin: string;
  readonly key: string;
  /** Undefined for a retry whose event the log no longer has. */
  readonly event: DomainEvent | undefined;
  /** Attempts so far, since the delivery was last queued. */
  readonly attempts: number;
  /** How often it had been queued again when the attempt began. Absent: the first attempt. */
  readonly revision?: number;
  readonly ending: Ending;
  readonly reason: string | null;
  /** Absent if no attempt was made. */
  readonly attempt?: { readonly ms: number; readonly kept: StoredAttempt | null };
}

/** A delivery that is due again. */
export interface Retry extends CursorAddress {
  readonly id: DeliveryId;
  readonly key: string;
  readonly seq: number;
  readonly attempts: number;
  readonly revision: number;
  /** Undefined if the log no longer has it. */
  readonly event: DomainEvent | undefined;
}

/** A subscription whose retries are not read. */
export interface KeyAddress extends CursorAddress {
  readonly key: string;
}

/** What is not delivered, of all gateways. */
export interface Backlog {
  /** Deliveries that wait for a retry and events that are not settled, by plugin. */
  readonly pending: ReadonlyMap<string, number>;
  /** How long the most overdue one of each plugin has been due; 0 if none is. */
  readonly overdueMs: ReadonlyMap<string, number>;
}

/** A request to send failed deliveries again, which the owner of the tenant carries out. */
export interface RecoveryJob extends KeyAddress {
  readonly id: string;
}

/** Methods reject if the database does not respond, and can then be retried. */
export interface StreamStore {
  /** Takes part in the distribution of partitions. */
  readonly join: (owner: string) => Promise<void>;
  readonly partitions: () => Promise<{
    readonly participants: readonly string[];
    readonly partitions: readonly Partition[];
  }>;
  /** Takes those that still have the same owner and token. */
  readonly take: (owner: string, partitions: readonly Partition[]) => Promise<void>;
  readonly release: (partitions: readonly Partition[]) => Promise<void>;
  readonly leave: (owner: string) => Promise<void>;

  /**
   * When a plugin subscribes for the first time: the log so far is not for it. Nothing if it has
   * subscribed before.
   */
  readonly adopt: (plugin: string) => Promise<void>;
  /** Marks the cursor with the owner's token and reads it; undefined if a later owner did before. */
  readonly claim: (address: CursorAddress, token: number) => Promise<Cursor | undefined>;
  /** Returns those that a later owner has marked. */
  readonly move: (cursors: readonly MovedCursor[]) => Promise<readonly MovedCursor[]>;
  readonly lagging: (plugins: readonly string[]) => Promise<readonly Lagging[]>;

  /** The next events after this position, in order; only what a majority has. */
  readonly readLog: (
    tenantId: TenantId,
    after: number,
    limit: number,
  ) => Promise<readonly DomainEvent[]>;
  /** Reports the events of all gateways from now on, until it is closed or ends. */
  readonly watch: (
    onEvent: (tenantId: TenantId, seq: number) => void,
    onEnd: () => void,
  ) => Promise<() => void>;

  /** Retries are stored by a majority before it resolves. Can be repeated. */
  readonly record: (results: readonly DeliveryResult[]) => Promise<void>;
  readonly dueRetries: (query: {
    readonly plugins: readonly string[];
    readonly partitions: readonly number[];
    readonly except: readonly KeyAddress[];
    readonly limit: number;
  }) => Promise<readonly Retry[]>;
  /** Drops the retries of a key that is no longer served; returns how many there were. */
  readonly dropRetries: (key: KeyAddress) => Promise<number>;
  /** Fails those that have been due for this long, unless they were queued again. */
  readonly giveUpRetries: (key: KeyAddress, dueForMs: number) => Promise<number>;
  readonly backlog: () => Promise<Backlog>;
  readonly recoveries: () => Promise<readonly RecoveryJob[]>;
  /** Queues its failed deliveries again, and ends it. */
  readonly recover: (job: RecoveryJob) => Promise<void>;
  /** Ends it: its key is no longer served. */
  readonly stopRecovery: (job: RecoveryJob) => Promise<void>;
}

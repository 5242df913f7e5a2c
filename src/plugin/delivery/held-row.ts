import type { DomainEvent } from '../../domain/events.js';
import type { DeliveryId } from '../../domain/kernel/ids.js';

/** What it takes to end a row that this instance owns. */
export interface OwnedRow {
  readonly id: DeliveryId;
  readonly resource: string;
  /** Null where born leased; another one when this instance has claimed its own row again. */
  claim: string | null;
}

/** A row that this instance holds in memory to send it, until it is acknowledged. */
export interface HeldRow extends OwnedRow {
  readonly event: DomainEvent;
  /** From 1. */
  readonly attempt: number;
  /** Whether an attempt has failed before: it is out of order already and waits for no other row. */
  readonly hasFailed: boolean;
  /** By the steady clock, not later than the lease really began. */
  readonly leasedAt: number;
  /** Whether no earlier row of the resource waits elsewhere for its first attempt. */
  isInOrder: boolean;
}

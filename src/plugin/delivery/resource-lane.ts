import type { DeliveryId, TenantId } from '../../domain/kernel/ids.js';
import type { HeldRow } from './held-row.js';

/** The rows of one resource for one key, sent one after another in the order of the log. */
export interface ResourceLane {
  readonly resource: string;
  readonly tenantId: TenantId;
  /** Waiting, in order of seq. */
  readonly queue: HeldRow[];
  /** Rows that this instance keeps in order: waiting, in flight, or ended and not acknowledged. */
  readonly held: Set<DeliveryId>;
  /** Set during an attempt, or while the check of the next row is pending. */
  isBusy: boolean;
}

export const createResourceLane = ({ resource, event }: HeldRow): ResourceLane => ({
  resource,
  tenantId: event.tenantId,
  queue: [],
  held: new Set(),
  isBusy: false,
});

/** Puts a row where it belongs; nearly always at the end. */
export const insertInOrder = (lane: ResourceLane, row: HeldRow): void => {
  const after = lane.queue.findLastIndex((earlier) => earlier.event.seq < row.event.seq);
  lane.queue.splice(after + 1, 0, row);
  lane.held.add(row.id);
};

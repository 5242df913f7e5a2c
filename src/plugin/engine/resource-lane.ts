import type { DeliveryId } from '../../domain/ids.js';
import type { HeldRow } from './held-row.js';

/** The rows of one resource for one key, sent one after another in the order of the log. */
export interface ResourceLane {
  readonly resource: string;
  /** Waiting, in order of seq. */
  readonly queue: HeldRow[];
  /** All that this instance keeps in order: waiting, under way, or ended and not yet written so. */
  readonly held: Set<DeliveryId>;
  /** Set while an attempt is under way, or while the database is asked about the order. */
  isBusy: boolean;
}

export const createResourceLane = (resource: string): ResourceLane => ({
  resource,
  queue: [],
  held: new Set(),
  isBusy: false,
});

/** Puts a row where it belongs; nearly always at the end. */
export const lineUp = (lane: ResourceLane, row: HeldRow): void => {
  const after = lane.queue.findLastIndex((earlier) => earlier.event.seq < row.event.seq);
  lane.queue.splice(after + 1, 0, row);
  lane.held.add(row.id);
};

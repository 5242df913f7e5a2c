import type { DeliveryId } from '../../domain/ids.js';
import type { HeldRow } from './held-row.js';

/** The rows of one resource for one key, sent one after another in the order of the log. */
export interface ResourceLane {
  readonly resource: string;
  /** Waiting, in order of seq. */
  readonly queue: HeldRow[];
  /** Everything of this lane that is held: waiting, under way, or not acknowledged yet. */
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

import { batched } from './batched.js';
import type { Clock } from '../contract/clock.js';
import type { EngineLimits } from './engine-limits.js';
import type { HeldRow } from './held-row.js';
import type { Outage } from './outage.js';
import type { OutboxStore } from './outbox-store.js';
import type { OrderQuery } from '../../outbox/outbox-claims.js';
import type { GateLane } from './key-gate.js';
import type { ResourceLane } from './resource-lane.js';

export interface OrderCheckParts {
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly outage: Outage;
  /** Rows that may go say so now; `isBlocked`: the lane's next row has to let an earlier one pass. */
  readonly onResult: (checked: GateLane, isBlocked: boolean) => void;
}

const queryOf = ({ gate, lane }: GateLane): OrderQuery => ({
  plugin: gate.plugin,
  key: gate.key,
  tenantId: lane.tenantId,
  resource: lane.resource,
  beforeSeq: lane.queue.at(-1)?.event.seq ?? 0,
  except: [...lane.held],
});

/** Marks the rows that may be sent; returns whether the lane's next row, if checked, may not. */
const markInOrder = (rows: readonly HeldRow[], lane: ResourceLane, unsent: number): boolean => {
  for (const row of rows) row.isInOrder = row.event.seq < unsent;
  const [next] = lane.queue;
  return next !== undefined && rows.includes(next) && !next.isInOrder;
};

/**
 * Checks whether earlier rows of a resource wait for their first attempt elsewhere: on another
 * instance, on one that died, or unclaimed. Retried if the database does not respond.
 */
export const createOrderCheck = (parts: OrderCheckParts) => {
  const { store, clock, limits, outage, onResult } = parts;

  const checkAll = async (lanes: readonly GateLane[]): Promise<void> => {
    // Rows may come and go during the query: the result applies to those that wait now.
    const queued = lanes.map(({ lane }) => [...lane.queue]);
    try {
      const earliest = await store.earliestUnsent(lanes.map(queryOf));
      outage.succeeded();
      lanes.forEach((place, index) => {
        const isBlocked = markInOrder(queued[index] ?? [], place.lane, earliest[index] ?? Infinity);
        onResult(place, isBlocked);
      });
    } catch (cause) {
      outage.failed(cause);
      clock.after(limits.queryRetryMs, () => lanes.forEach(check));
    }
  };

  const check = batched(checkAll);
  return { check };
};

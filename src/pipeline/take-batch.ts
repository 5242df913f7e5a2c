import type { Arrival } from './batch.js';

/** Commands in a batch at most: what one transaction takes well (pipeline-rules.md 1). */
const LARGEST_BATCH = 500;

/**
 * A change of what events are routed by runs alone, so that an event is never routed by records
 * that change in its own commit; a tenant comes and goes alone as well.
 */
const runsAlone = ({ envelope: { command } }: Arrival): boolean =>
  command.type === 'plugin.change' ||
  command.type === 'tenant.create' ||
  command.type === 'tenant.delete';

/** Takes what may be committed together off the front of a lane's queue. */
export const takeBatch =
  (most = LARGEST_BATCH) =>
  (queue: Arrival[]): readonly Arrival[] => {
    const alone = queue.findIndex(runsAlone);
    const length = alone === 0 ? 1 : alone === -1 ? queue.length : alone;
    return queue.splice(0, Math.min(length, most));
  };

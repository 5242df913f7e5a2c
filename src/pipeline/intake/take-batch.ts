import { COMMANDS } from '../../domain/command-catalogue.js';
import type { Arrival } from '../batch.js';

/** Maximum weight of a batch: what one transaction handles well (pipeline-rules.md 1). */
const MAX_WEIGHT = 500;
/**
 * Maximum weight while other tenants are active: each of their commands waits for whole batches of
 * this tenant (pipeline-rules.md 9).
 */
const MAX_SHARED_WEIGHT = 24;

const runsAlone = ({ envelope }: Arrival): boolean =>
  COMMANDS[envelope.command.type].runsAlone === true;

/** Number of commands at the front that may run together; a heavier one runs alone. */
const lengthOf = (queue: readonly Arrival[], maxWeight: number): number => {
  let weight = 0;
  for (const [at, arrival] of queue.entries()) {
    weight += arrival.weight;
    if (at > 0 && (weight > maxWeight || runsAlone(arrival))) return at;
    if (runsAlone(arrival)) return 1;
  }
  return queue.length;
};

/** Takes the commands that may be committed together off the front of a tenant's queue. */
export const takeBatch =
  (maxWeight = MAX_WEIGHT, maxSharedWeight = MAX_SHARED_WEIGHT) =>
  (queue: Arrival[], otherTenantsActive = false): readonly Arrival[] => {
    const limit = otherTenantsActive ? Math.min(maxWeight, maxSharedWeight) : maxWeight;
    return queue.splice(0, lengthOf(queue, limit));
  };

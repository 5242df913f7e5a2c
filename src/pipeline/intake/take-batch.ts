import { COMMANDS } from '../../domain/command-catalogue.js';
import type { Arrival } from '../batch.js';

/** Maximum weight of a batch: what one transaction handles well (pipeline-rules.md 1). */
const MAX_WEIGHT = 500;
/**
 * Maximum weight while others are active: each command of other tenants waits for whole batches of
 * this tenant (pipeline-rules.md 9), and each of its own for whole batches of a connector.
 */
const MAX_SHARED_WEIGHT = 24;

/** What a connector wants is never urgent: the tenant's other commands go first. */
export const isBackground = ({ envelope: { source } }: Arrival): boolean => source === 'connector';

/** Moves what is not background to the front; both kinds stay in order. */
const putBackgroundLast = (queue: Arrival[]): void => {
  const first = queue.findIndex(isBackground);
  if (first === -1 || queue.slice(first).every(isBackground)) return;
  const later = queue.splice(first);
  queue.push(...later.filter((one) => !isBackground(one)), ...later.filter(isBackground));
};

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

/**
 * Takes the commands that may be committed together off the front of a tenant's queue. `isShared`:
 * others would wait for the whole batch.
 */
export const takeBatch =
  (maxWeight = MAX_WEIGHT, maxSharedWeight = MAX_SHARED_WEIGHT) =>
  (queue: Arrival[], isShared = false): readonly Arrival[] => {
    putBackgroundLast(queue);
    const limit = isShared ? Math.min(maxWeight, maxSharedWeight) : maxWeight;
    return queue.splice(0, lengthOf(queue, limit));
  };

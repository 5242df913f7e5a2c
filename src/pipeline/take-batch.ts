import type { Arrival } from './batch.js';

/** What a batch weighs at most: what one transaction takes well (pipeline-rules.md 1). */
const LARGEST_BATCH = 500;
/**
 * And beside others: they wait for a whole batch at each of their own steps, so a tenant that floods
 * the gateway must not make long ones (pipeline-rules.md 9).
 */
const LARGEST_BESIDE_OTHERS = 24;

/**
 * A change of what events are routed by runs alone, so that an event is never routed by records
 * that change in its own commit; a tenant comes and goes alone as well, and a step of a job or
 * a sweep asks for pages that show nothing of what was decided beside it.
 */
const runsAlone = ({ envelope: { command } }: Arrival): boolean =>
  command.type === 'plugin.change' ||
  command.type === 'tenant.create' ||
  command.type === 'tenant.update' ||
  command.type === 'tenant.delete' ||
  command.type === 'job.step' ||
  command.type === 'sms-member.sweep';

/** How many of the first may run together; a heavy one alone (pipeline-rules.md 9). */
const lengthOf = (queue: readonly Arrival[], most: number): number => {
  let weight = 0;
  for (const [at, arrival] of queue.entries()) {
    weight += arrival.weight;
    if (at > 0 && (weight > most || runsAlone(arrival))) return at;
    if (runsAlone(arrival)) return 1;
  }
  return queue.length;
};

/** Takes what may be committed together off the front of a lane's queue. */
export const takeBatch =
  (most = LARGEST_BATCH, mostBesideOthers = LARGEST_BESIDE_OTHERS) =>
  (queue: Arrival[], hasNeighbours = false): readonly Arrival[] =>
    queue.splice(0, lengthOf(queue, hasNeighbours ? Math.min(most, mostBesideOthers) : most));

import type { Child } from '../../tooling/child.js';
import type { ReceiverMethods } from '../load/receiver.js';
import type { Contestant } from './contestant.js';

const PATIENCE_MS = 120_000;

/**
 * Waits for the deliveries of everything that happened, so that no contestant's work reaches into
 * the next one's round. A delivery that does not come, or that another has signed, ends the
 * benchmark: it is a wrong answer.
 */
export const owedDeliveries = (
  receiver: Child<ReceiverMethods>,
  path: string,
): Contestant['settled'] => {
  let owed = 0;
  return async (newEvents) => {
    owed += newEvents;
    const { distinct, forged } = await receiver.call('await', {
      path,
      count: owed,
      withinMs: PATIENCE_MS,
    });
    if (distinct === owed && forged === 0) return;
    throw new Error(`${distinct} deliveries came of ${owed}, ${forged} of them not genuine.`);
  };
};

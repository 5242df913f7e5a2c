import type { Child } from '../../shared/child.js';
import type { ReceiverMethods } from '../load/receiver.js';
import type { TestedServer } from './tested-server.js';

const TIMEOUT_MS = 120_000;

/**
 * Waits for the deliveries of all events, so that the deliveries of one server do not slow the next
 * one's round. A missing delivery or a wrong signature ends the benchmark.
 */
export const trackDeliveries = (
  receiver: Child<ReceiverMethods>,
  path: string,
): TestedServer['waitForDeliveries'] => {
  let expected = 0;
  return async (newEvents) => {
    expected += newEvents;
    const { distinct, forged } = await receiver.call('waitFor', {
      path,
      count: expected,
      withinMs: TIMEOUT_MS,
    });
    if (distinct === expected && forged === 0) return;
    throw new Error(
      `${distinct} of ${expected} deliveries arrived, ${forged} with a wrong signature.`,
    );
  };
};

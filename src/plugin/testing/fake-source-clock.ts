import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SourceClock } from '../contract/connector-contract.js';

/** A clock whose pauses take no time: it moves on by each of them. */
export interface FakeSourceClock extends SourceClock {
  /** The pauses so far, in milliseconds. */
  readonly pauses: readonly number[];
  readonly advance: (ms: number) => void;
}

/** Starts at the machine's time, unless set. */
export const createFakeSourceClock = (start = new Date()): FakeSourceClock => {
  let now = start.getTime();
  const pauses: number[] = [];
  return {
    pauses,
    now: () => new Date(now),
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
      now += ms;
      await nextTurn();
      signal?.throwIfAborted();
    },
  };
};

import type { Pieces } from '../domain/in-pieces.js';
import { createPace } from './pace.js';

/** Runs chunked work and yields to the event loop between chunks whenever a time slice is over. */
export const inTurns = async <Result>(work: Pieces<Result>): Promise<Result> => {
  const yieldIfDue = createPace();
  for (;;) {
    const chunk = work.next();
    if (chunk.done) return chunk.value;
    await yieldIfDue();
  }
};

import type { Pieces } from '../domain/in-pieces.js';
import { createPace } from './pace.js';

/** Does work in pieces, and gives the event loop back between them wherever a slice of it is over. */
export const inTurns = async <Result>(work: Pieces<Result>): Promise<Result> => {
  const pace = createPace();
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    await pace();
  }
};

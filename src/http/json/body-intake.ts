import type { Pieces } from '../../domain/in-pieces.js';
import { inTurns } from '../../pipeline/in-turns.js';
import { createFairSlots } from '../../pipeline/fair-slots.js';
import { type BodyLimits, type BodyShare, createBodyBudget, LARGE_BODY } from './body-budget.js';

/** Large bodies that are parsed and checked at once, of all keys together. */
const LARGE_AT_ONCE = 2;

/** What all requests share that carry bodies: the memory for them, and the time to parse them. */
export interface BodyIntake {
  /** An empty share of the memory for a body that this key sends. */
  readonly open: (key: string) => BodyShare;
  /** Bytes that bodies take now. */
  readonly taken: () => number;
  /**
   * Does the work of reading a body of so many bytes: at once where it is small, else when it is its
   * turn. Rejects with the signal's reason where it is aborted before that.
   */
  readonly read: <Result>(body: WaitingBody, work: () => Pieces<Result>) => Promise<Result>;
}

export interface WaitingBody {
  readonly key: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

export const createBodyIntake = (limits?: BodyLimits): BodyIntake => {
  const budget = createBodyBudget(limits);
  const slots = createFairSlots({ overall: LARGE_AT_ONCE });
  return {
    ...budget,
    read: ({ key, bytes, signal }, work) =>
      bytes <= LARGE_BODY ? inTurns(work()) : slots.run(key, signal, () => inTurns(work())),
  };
};

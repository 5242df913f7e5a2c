import { type Effect, NO_EFFECT } from '../kernel/effect.js';

/** One step of a job. */
export interface Step {
  readonly effect: Effect;
  /** Number of members that it processed. */
  readonly done: number;
  /** The cursor of the next step; null after the last one. */
  readonly next: string | null;
}

export const NO_STEP: Step = { effect: NO_EFFECT, done: 0, next: null };

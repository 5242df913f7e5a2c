import { type Effect, NO_EFFECT } from './effect.js';

/** A piece of a job: what it does, how many it was about, and where the next one begins. */
export interface Step {
  readonly effect: Effect;
  readonly done: number;
  /** Null: there is no more. */
  readonly next: string | null;
}

/** Nothing was left to do. */
export const NO_STEP: Step = { effect: NO_EFFECT, done: 0, next: null };

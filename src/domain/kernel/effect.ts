import type { Facts } from './decider.js';
import type { NewEvent } from '../events.js';
import type { Change } from '../tables.js';

/** A part of a decision: changes and events. */
export interface Effect {
  readonly changes: readonly Change[];
  readonly events: readonly NewEvent[];
}

export const NO_EFFECT: Effect = { changes: [], events: [] };

export type EffectStep = (facts: Facts) => Effect;

/** Runs the steps in order; each sees the changes of those before it. */
export const combineInOrder = (facts: Facts, steps: readonly EffectStep[]): Effect => {
  let [seen, unseen]: [Facts, readonly Change[]] = [facts, []];
  const changes: Change[] = [];
  const events: NewEvent[] = [];
  for (const step of steps) {
    // Applied only if another step follows.
    if (unseen.length > 0) seen = seen.after(unseen);
    const effect = step(seen);
    unseen = effect.changes;
    changes.push(...effect.changes);
    events.push(...effect.events);
  }
  return { changes, events };
};

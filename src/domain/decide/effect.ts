import type { NewEvent } from '../events.js';
import type { Change } from '../tables.js';
import type { Facts } from './decider.js';

/** A part of a decision: what changes and what happens by it. */
export interface Effect {
  readonly changes: readonly Change[];
  readonly events: readonly NewEvent[];
}

export const NO_EFFECT: Effect = { changes: [], events: [] };

/** A part that sees the facts as the parts before it leave them. */
export type EffectStep = (facts: Facts) => Effect;

/** One effect of many, each seeing what those before it come to. */
export const inOrder = (facts: Facts, steps: readonly EffectStep[]): Effect => {
  let [seen, unseen]: [Facts, readonly Change[]] = [facts, []];
  const changes: Change[] = [];
  const events: NewEvent[] = [];
  for (const step of steps) {
    // What the last one changes nobody looks at here.
    if (unseen.length > 0) seen = seen.after(unseen);
    const effect = step(seen);
    unseen = effect.changes;
    changes.push(...effect.changes);
    events.push(...effect.events);
  }
  return { changes, events };
};

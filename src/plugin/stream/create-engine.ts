import type { Engine, Shared, StreamParts } from './engine.js';
import { createGroups } from './groups.js';
import { createLogCache } from './log-cache.js';
import { createOutage } from './outage.js';
import { createOutcomes } from './outcomes.js';
import { createPartitions } from './partitions.js';
import { createResults } from './results.js';
import { createRetries } from './retries.js';
import { createSender } from './sender.js';

/** Each part gets the engine before the others are there, and uses them only in its functions. */
export const createEngine = (parts: StreamParts) => {
  const shared: Shared = {
    ...parts,
    plugins: [...parts.subscribers.keys()],
    cache: createLogCache(parts.store),
    outage: createOutage(parts.log, {
      began: 'The database does not respond; deliveries wait.',
      ended: 'The database responds again; deliveries resume.',
    }),
  };
  const engine = shared as Engine;
  return Object.assign(engine, {
    partitions: createPartitions(engine),
    groups: createGroups(engine),
    sender: createSender(engine),
    outcomes: createOutcomes(engine),
    results: createResults(engine),
    retries: createRetries(engine),
  });
};

/** With what only the rounds and the stream itself call. */
export type WholeEngine = ReturnType<typeof createEngine>;

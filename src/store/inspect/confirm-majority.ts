import { mongo } from 'mongoose';
import type { InspectedDatabase } from './inspect-database.js';
import type { Clocks } from './time-server.js';

/** How long the members of a set that is well take at most: far longer than they do. */
const PATIENCE_MS = 2_000;
const MAX_TIME_EXPIRED = 50;

/**
 * How long a majority takes to confirm what the primary has, in milliseconds; undefined where it
 * does not in two seconds. A linearizable read finds out without a write of ours and without a
 * privilege: before it answers, the server itself lets the members acknowledge where they are. A
 * primary that has lost them still looks like one, for ever where arbiters vote for it.
 */
export const confirmMajority = async (
  { database }: InspectedDatabase,
  { elapsed }: Pick<Clocks, 'elapsed'>,
): Promise<number | undefined> => {
  const start = elapsed();
  try {
    await database.command({
      find: 'settings',
      filter: { _id: 'secret-key' },
      limit: 1,
      readConcern: { level: 'linearizable' },
      maxTimeMS: PATIENCE_MS,
    });
    return elapsed() - start;
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === MAX_TIME_EXPIRED)
      return undefined;
    throw error;
  }
};

import { isTimeLimitExceeded } from '../database-errors.js';
import type { InspectedDatabase } from './inspect-database.js';
import type { Clocks } from './time-server.js';

/** Far longer than the members of a healthy set take. */
const TIMEOUT_MS = 2_000;

/**
 * How long a majority takes to confirm what the primary has, in milliseconds; undefined if it does
 * not within two seconds. A linearizable read checks this without a write of ours and without a
 * privilege: the server waits for the members before it responds. A primary that has lost them
 * still looks like one, forever if arbiters vote for it.
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
      maxTimeMS: TIMEOUT_MS,
    });
    return elapsed() - start;
  } catch (error) {
    if (isTimeLimitExceeded(error)) return undefined;
    throw error;
  }
};

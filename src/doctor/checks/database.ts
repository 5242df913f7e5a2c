import { DatabaseError } from '../../store/connect.js';
import type { InspectedDatabase } from '../../store/inspect/inspect-database.js';
import { timeServer } from '../../store/inspect/time-server.js';
import type { DoctorContext } from '../context.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, fail, ok, type Verdict, warn } from '../verdict.js';

/** Every change takes a few round trips, one after the other: so much makes each feel slow. */
const SLOW_MS = 25;

/** The database answers, and is near. */
export const checkDatabase: Check = async (context) => {
  const reached = await reach(context);
  return 'status' in reached ? reached : judge(reached, context);
};

const reach = async (context: DoctorContext): Promise<InspectedDatabase | Verdict> => {
  try {
    return await context.reachDatabase();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const remedy = context.isEmbedded()
      ? 'mongod.log in the data folder tells more.'
      : 'Start it, or correct ROLLGATE_MONGODB_URI (mongodb.uri in the configuration).';
    return fail(error.message, remedy);
  }
};

const judge = async (database: InspectedDatabase, { clocks }: DoctorContext): Promise<Verdict> => {
  const { roundTripMs } = await timeServer(database, clocks);
  const answer = `MongoDB at ${database.hosts} answers in ${roughDuration(roundTripMs)}`;
  const details = { hosts: database.hosts, round_trip_ms: Number(roundTripMs.toFixed(2)) };
  if (roundTripMs <= SLOW_MS) return ok(`${answer}.`, details);
  return warn(
    `${answer}: every change takes several such round trips.`,
    'Run the gateway near its database: in the same network, not over a long line.',
    details,
  );
};

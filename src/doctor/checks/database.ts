import { DatabaseError } from '../../store/connect.js';
import type { InspectedDatabase } from '../../store/inspect/inspect-database.js';
import { timeServer } from '../../store/inspect/read-server.js';
import type { DoctorContext } from '../context.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, type CheckResult, fail, ok, warn } from '../check-result.js';

/** Every change needs several round trips in sequence. */
const SLOW_MS = 25;

/** The database responds, and is close. */
export const checkDatabase: Check = async (context) => {
  const reached = await connect(context);
  return 'status' in reached ? reached : evaluate(reached, context);
};

const connect = async (context: DoctorContext): Promise<InspectedDatabase | CheckResult> => {
  try {
    return await context.reachDatabase();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const remedy = context.isEmbedded()
      ? 'See mongod.log in the data folder.'
      : 'Start it, or correct ROLLGATE_MONGODB_URI (mongodb.uri in the configuration).';
    return fail(error.message, remedy);
  }
};

const evaluate = async (
  database: InspectedDatabase,
  { clocks }: DoctorContext,
): Promise<CheckResult> => {
  const { roundTripMs } = await timeServer(database, clocks);
  const message = `MongoDB at ${database.hosts} responds in ${roughDuration(roundTripMs)}`;
  const details = { hosts: database.hosts, round_trip_ms: Number(roundTripMs.toFixed(2)) };
  if (roundTripMs <= SLOW_MS) return ok(`${message}.`, details);
  return warn(
    `${message}; every change needs several round trips.`,
    'Run the gateway close to its database, in the same network.',
    details,
  );
};

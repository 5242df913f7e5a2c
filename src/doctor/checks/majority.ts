import { confirmMajority } from '../../store/inspect/confirm-majority.js';
import { readServer } from '../../store/inspect/read-server.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, fail, NotCheckable, ok, warn } from '../verdict.js';

/** Every change waits for it. */
const SLOW_MS = 500;

/** A majority of the members confirms what is written: else every change is refused with 503. */
export const checkMajority: Check = async ({ database, clocks }) => {
  const inspected = await database();
  const { topology, isWritable } = await readServer(inspected);
  if (topology.kind === 'single server' || !isWritable)
    throw new NotCheckable('There is no primary of a replica set to ask, see topology.');
  const tookMs = await confirmMajority(inspected, clocks);
  if (tookMs === undefined)
    return fail(
      'The primary stands alone: no majority of the members confirms its writes.',
      'Bring the other data-bearing members back: rs.status() in mongosh tells which are away.',
    );
  const details = { confirmed_in_ms: Math.round(tookMs) };
  const message = `A majority confirmed in ${roughDuration(tookMs)}.`;
  if (tookMs <= SLOW_MS) return ok(message, details);
  return warn(
    message,
    'Look for a member that lags: rs.printSecondaryReplicationInfo() in mongosh.',
    details,
  );
};

import { confirmMajority, readServer } from '../../store/inspect/read-server.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, CheckSkipped, fail, ok, warn } from '../check-result.js';

/** Every change waits this long. */
const SLOW_MS = 500;

/** A majority of the members confirms writes; without it, every change is refused with 503. */
export const checkMajority: Check = async ({ database, clocks }) => {
  const inspected = await database();
  const { topology, isWritable } = await readServer(inspected);
  if (topology.kind === 'single server' || !isWritable)
    throw new CheckSkipped('No primary; see topology.');
  const tookMs = await confirmMajority(inspected, clocks);
  if (tookMs === undefined)
    return fail(
      'The writes of the primary are not confirmed: no majority of the members is available.',
      'Bring the other data-bearing members back; rs.status() in mongosh shows which are down.',
    );
  const details = { confirmed_in_ms: Math.round(tookMs) };
  const message = `A majority confirmed a write in ${roughDuration(tookMs)}.`;
  if (tookMs <= SLOW_MS) return ok(message, details);
  return warn(
    message,
    'Find the lagging member: rs.printSecondaryReplicationInfo() in mongosh.',
    details,
  );
};

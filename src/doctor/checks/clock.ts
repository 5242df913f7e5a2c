import { timeServer } from '../../store/inspect/read-server.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, ok, warn } from '../check-result.js';

const MAX_SKEW_MS = 2_000;

/** The clocks of gateway and database agree: receivers refuse signed requests whose timestamp is off. */
export const checkClock: Check = async ({ database, clocks }) => {
  const { aheadMs } = await timeServer(await database(), clocks);
  const skewMs = Math.abs(aheadMs);
  const details = { database_ahead_ms: Math.round(aheadMs) };
  if (skewMs < MAX_SKEW_MS)
    return ok(`The clocks of gateway and database differ by ${roughDuration(skewMs)}.`, details);
  return warn(
    `The database's clock is ${roughDuration(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
    'Synchronise both with NTP (timedatectl set-ntp true, or chronyd).',
    details,
  );
};

import { timeServer } from '../../store/inspect/time-server.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, ok, warn } from '../verdict.js';

const MOST_MS = 2_000;

/** Gateway and database agree on the time: receivers refuse webhooks that are signed too early or late. */
export const checkClock: Check = async ({ database, clocks }) => {
  const { aheadMs } = await timeServer(await database(), clocks);
  const apartMs = Math.abs(aheadMs);
  const details = { database_ahead_ms: Math.round(aheadMs) };
  if (apartMs < MOST_MS)
    return ok(`Database and gateway are ${roughDuration(apartMs)} apart.`, details);
  return warn(
    `The database's clock is ${roughDuration(apartMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
    'Set both by NTP (timedatectl set-ntp true, chronyd).',
    details,
  );
};

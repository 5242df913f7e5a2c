import { readOutbox } from '../../store/inspect/read-outbox.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, ok, warn } from '../verdict.js';

/** Gateways look for what is due every second; so long nobody waits where all is well. */
const OVERDUE_MS = 60_000;

/** What is owed to receivers is being delivered. */
export const checkDeliveries: Check = async ({ database }) => {
  const { owed, overdueMs } = await readOutbox(await database());
  const details = { owed, overdue_ms: overdueMs };
  if (owed === 0) return ok('No delivery is owed.', details);
  const message = `${owed === 1 ? '1 delivery is' : `${owed} deliveries are`} owed`;
  if (overdueMs < OVERDUE_MS) return ok(`${message}, none of them long overdue.`, details);
  return warn(
    `${message}, the oldest overdue for ${roughDuration(overdueMs)}.`,
    'Is a gateway alive? Else a receiver is slow or away: its registration says failed, and ' +
      '/metrics how much is owed.',
    details,
  );
};

import { readOutbox } from '../../store/inspect/inspect-database.js';
import { roughDuration } from '../rough-duration.js';
import { type Check, ok, warn } from '../check-result.js';

/** Gateways look for due deliveries every second, so a minute is abnormal. */
const OVERDUE_MS = 60_000;

/** Pending deliveries are being delivered. */
export const checkDeliveries: Check = async ({ database }) => {
  const { pending, overdueMs } = await readOutbox(await database());
  const details = { pending, overdue_ms: overdueMs };
  if (pending === 0) return ok('No pending deliveries.', details);
  const message = pending === 1 ? '1 pending delivery' : `${pending} pending deliveries`;
  if (overdueMs < OVERDUE_MS) return ok(`${message}, none overdue.`, details);
  return warn(
    `${message}, the oldest overdue for ${roughDuration(overdueMs)}.`,
    'Check that a gateway is running. If so, a receiver is slow or down: see "rollgate plugin list" ' +
      'and rollgate_outbox_pending in /metrics.',
    details,
  );
};

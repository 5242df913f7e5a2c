import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { EndRequest } from '../../outbox/outbox-claims.js';
import { ANY_SPAN, HINTS, type OutboxDocument } from '../tables/outbox.js';
import { finishedFields, lastAttemptFields } from './row-updates.js';
import { LOCAL_READ, PRIMARY_WRITE } from '../concerns.js';

const filterOf = ({ plugin, key, tenantId, overdueMs }: EndRequest) => ({
  st: 'p' as const,
  plugin,
  key,
  own: null,
  ...(tenantId === undefined ? {} : { tenant: tenantId }),
  ...(overdueMs === undefined
    ? {}
    : { $expr: { $lte: ['$due', { $subtract: ['$$NOW', overdueMs] }] } }),
});

const fieldsOf = ({ kind, reason }: EndRequest): object => ({
  ...finishedFields(kind),
  ...lastAttemptFields({ reason, ms: 0 }),
});

/**
 * Ends spans and counts their events. A claim marks those ended by this call, because another
 * instance may be ending the same ones.
 */
const endSpans = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: EndRequest,
): Promise<number> => {
  const pending = await outbox
    .find({ ...filterOf(request), res: ANY_SPAN }, { ...LOCAL_READ, projection: { _id: 1 } })
    .hint(HINTS.byResource)
    .toArray();
  if (pending.length === 0) return 0;
  const chosen = { _id: { $in: pending.map(({ _id }) => _id) } };
  const claim = randomUUID();
  await outbox.updateMany(
    { ...filterOf(request), ...chosen },
    [{ $set: { ...fieldsOf(request), claim } }],
    { ...PRIMARY_WRITE, hint: HINTS.byId },
  );
  const ended = await outbox
    .find({ ...chosen, claim }, { ...LOCAL_READ, projection: { left: 1 } })
    .toArray();
  return ended.reduce((events, { left = 0 }) => events + left, 0);
};

/**
 * Ends everything pending for a key and counts the events. Spans first, because rows could still be
 * made of them.
 */
export const endPending = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: EndRequest,
): Promise<number> => {
  const inSpans = await endSpans(outbox, request);
  const { modifiedCount } = await outbox.updateMany(
    // A span that was released in between is ended next time: here its events would not be counted.
    { ...filterOf(request), left: { $exists: false } },
    [{ $set: fieldsOf(request) }],
    { ...PRIMARY_WRITE, hint: HINTS.byKey },
  );
  return inSpans + modifiedCount;
};

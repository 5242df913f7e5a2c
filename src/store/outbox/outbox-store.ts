import { randomUUID } from 'node:crypto';
import type * as mongo from 'mongodb';
import type {
  EndRequest,
  Acknowledgement,
  Claimed,
  ClaimRequest,
  Expansion,
  LogPositions,
  OrderQuery,
  OutboxCounts,
} from '../../outbox/outbox-claims.js';
import { ANY_SPAN, HINTS, type OutboxDocument, textInRow } from '../tables/outbox.js';
import { finishedFields, lastAttemptFields, deferredFields, toUpdates } from './row-updates.js';
import { LOCAL_READ, NO_TIMEOUT, PRIMARY_WRITE } from '../concerns.js';
import type { DomainEvent } from '../../domain/events.js';
import type { EventId } from '../../domain/kernel/ids.js';
import { claimDue, expandSpans } from './claim-due.js';
import { earliestUnsent } from './delivery-order.js';
import type { Collections } from '../tables/collections.js';
import { fromEventDocument } from '../tables/events.js';
import { createAttemptWriter } from './attempts.js';

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
    { ...PRIMARY_WRITE, ...NO_TIMEOUT, hint: HINTS.byId },
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
const endPending = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: EndRequest,
): Promise<number> => {
  const inSpans = await endSpans(outbox, request);
  const { modifiedCount } = await outbox.updateMany(
    // A span that was released in between is ended next time: here its events would not be counted.
    { ...filterOf(request), left: { $exists: false } },
    [{ $set: fieldsOf(request) }],
    { ...PRIMARY_WRITE, ...NO_TIMEOUT, hint: HINTS.byKey },
  );
  return inSpans + modifiedCount;
};

/** All events of a claim in one response. */
const LOG_BATCH = 1_000;

/**
 * The outbox in MongoDB, for the delivery engine (src/plugin). `now`: the database's time, for
 * records of attempts.
 */
export const mongoOutboxStore = (
  { outbox, outboxAttempts, events }: Pick<Collections, 'outbox' | 'outboxAttempts' | 'events'>,
  now: () => Date = () => new Date(),
) => {
  const attempts = createAttemptWriter(outboxAttempts, now);

  const acknowledge = async (batch: readonly Acknowledgement[]): Promise<void> => {
    if (batch.length === 0) return;
    const endings = batch.map((acknowledgement) => ({
      acknowledgement,
      text: textInRow(acknowledgement),
    }));
    await outbox.bulkWrite(toUpdates(endings), { ordered: false, ...PRIMARY_WRITE });
    attempts.add(endings.filter(({ text }) => !text).map((each) => each.acknowledgement));
  };

  const release = async (owner: string, plugins: readonly string[]): Promise<void> => {
    await outbox.updateMany(
      // Expired leases are due already; the others are a range of the index of claims.
      { st: 'p', plugin: { $in: [...plugins] }, own: owner, $expr: { $gt: ['$due', '$$NOW'] } },
      [{ $set: deferredFields('$$NOW') }],
      { ...PRIMARY_WRITE, hint: HINTS.byDue },
    );
  };

  const readEvents = async (
    ids: readonly EventId[],
  ): Promise<ReadonlyMap<EventId, DomainEvent>> => {
    if (ids.length === 0) return new Map();
    const found = await events
      .find({ _id: { $in: [...ids] } }, { ...LOCAL_READ, batchSize: ids.length + 1 })
      .toArray();
    return new Map(found.map(fromEventDocument).map((event) => [event.id, event]));
  };

  const readLog = async (places: readonly LogPositions[]): Promise<readonly DomainEvent[]> => {
    if (places.length === 0) return [];
    const ofTenant = places.map(({ tenantId, seqs }) => ({
      tenant: tenantId,
      seq: { $in: [...seqs] },
    }));
    const found = await events
      .find({ $or: ofTenant }, { ...LOCAL_READ, batchSize: LOG_BATCH })
      .toArray();
    return found.map(fromEventDocument);
  };

  const counts = async (): Promise<OutboxCounts> => {
    const found = await outbox
      .aggregate<{ readonly _id: string; readonly pending: number; readonly overdueMs: number }>(
        [
          { $match: { st: 'p' } },
          {
            $group: {
              _id: '$plugin',
              pending: { $sum: { $ifNull: ['$left', 1] } },
              due: { $min: '$due' },
            },
          },
          { $project: { pending: 1, overdueMs: { $max: [0, { $subtract: ['$$NOW', '$due'] }] } } },
        ],
        { ...LOCAL_READ, hint: HINTS.byDue },
      )
      .toArray();
    return {
      pending: new Map(found.map(({ _id, pending }) => [_id, pending])),
      overdueMs: new Map(found.map(({ _id, overdueMs }) => [_id, overdueMs])),
    };
  };

  return {
    claimDue: (request: ClaimRequest): Promise<Claimed> => claimDue(outbox, request),
    expand: (expansions: readonly Expansion[]) => expandSpans(outbox, expansions),
    acknowledge,
    release,
    endWaiting: (request: EndRequest) => endPending(outbox, request),
    earliestUnsent: (questions: readonly OrderQuery[]) => earliestUnsent(outbox, questions),
    readEvents,
    readLog,
    counts,
    /** Resolves when the records of attempts are written. */
    settle: attempts.flush,
  };
};

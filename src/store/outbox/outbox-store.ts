import type { DomainEvent } from '../../domain/events.js';
import type { EventId } from '../../domain/kernel/ids.js';
import type {
  Acknowledgement,
  Claimed,
  ClaimRequest,
  EndRequest,
  Expansion,
  LogPositions,
  OrderQuery,
  OutboxCounts,
} from '../../outbox/outbox-claims.js';
import { claimDue } from './claim-due.js';
import { earliestUnsent } from './earliest-unsent.js';
import type { Collections } from '../tables/collections.js';
import { fromEventDocument } from '../tables/events.js';
import { textInRow } from './attempt-text.js';
import { createAttemptWriter } from './attempts.js';
import { HINTS } from '../tables/outbox.js';
import { endPending } from './end-pending.js';
import { expandSpans } from './expand-spans.js';
import { deferredFields, toUpdates } from './row-updates.js';
import { LOCAL_READ, PRIMARY_WRITE } from '../concerns.js';

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

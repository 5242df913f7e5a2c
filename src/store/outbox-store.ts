import type { mongo } from 'mongoose';
import type { DomainEvent } from '../domain/events.js';
import type { EventId } from '../domain/ids.js';
import type {
  Acknowledgement,
  Claimed,
  ClaimRequest,
  EndRequest,
  Expansion,
  LogPlaces,
  OrderQuestion,
  OutboxCounts,
} from '../domain/outbox-work.js';
import { claimDue } from './claim-due.js';
import { earliestUnsent } from './earliest-unsent.js';
import { EVENTS, type EventDocument, fromEventDocument } from './event-document.js';
import { ATTEMPTS, type AttemptDocument, createAttemptWriter } from './outbox-attempts.js';
import { HINTS, OUTBOX, type OutboxDocument } from './outbox-document.js';
import { endPending } from './outbox-end-waiting.js';
import { expandSpans } from './outbox-expand.js';
import { RELEASED, toUpdates, UNCOUNT_ATTEMPT } from './outbox-update.js';

/** A lost ending is only a repetition, so none of them waits for other members. */
const PRIMARY_WRITE = { writeConcern: { w: 1 } } as const;
/** The newest there is, where seeing too much does no harm. */
const LOCAL_READ = { readConcern: { level: 'local' } } as const;

/**
 * The outbox in MongoDB: what the delivery engine (src/plugin) asks of the database. By `now`, the
 * database's time, attempts are kept.
 */
export const mongoOutboxStore = (database: mongo.Db, now: () => Date = () => new Date()) => {
  const outbox = database.collection<OutboxDocument>(OUTBOX);
  const attempts = createAttemptWriter(database.collection<AttemptDocument>(ATTEMPTS), now);
  const events = database.collection<EventDocument>(EVENTS);

  const acknowledge = async (batch: readonly Acknowledgement[]): Promise<void> => {
    if (batch.length === 0) return;
    await outbox.bulkWrite(toUpdates(batch), { ordered: false, ...PRIMARY_WRITE });
    attempts.add(batch);
  };

  const giveBack = async (owner: string, plugins: readonly string[]): Promise<void> => {
    await outbox.updateMany(
      // Leases that have run out are due already; the rest are a range of the claims' index.
      { st: 'p', plugin: { $in: [...plugins] }, own: owner, $expr: { $gt: ['$due', '$$NOW'] } },
      [{ $set: { ...RELEASED, ...UNCOUNT_ATTEMPT, due: '$$NOW' } }],
      { ...PRIMARY_WRITE, hint: HINTS.byDue },
    );
  };

  const readEvents = async (
    ids: readonly EventId[],
  ): Promise<ReadonlyMap<EventId, DomainEvent>> => {
    if (ids.length === 0) return new Map();
    const found = await events.find({ _id: { $in: [...ids] } }, LOCAL_READ).toArray();
    return new Map(found.map(fromEventDocument).map((event) => [event.id, event]));
  };

  const readLog = async (places: readonly LogPlaces[]): Promise<readonly DomainEvent[]> => {
    if (places.length === 0) return [];
    const ofTenant = places.map(({ tenantId, seqs }) => ({
      tenant: tenantId,
      seq: { $in: [...seqs] },
    }));
    const found = await events.find({ $or: ofTenant }, LOCAL_READ).toArray();
    return found.map(fromEventDocument);
  };

  const counts = async (): Promise<OutboxCounts> => {
    const found = await outbox
      .aggregate<{ readonly _id: string; readonly owed: number; readonly overdueMs: number }>(
        [
          { $match: { st: 'p' } },
          {
            $group: {
              _id: '$plugin',
              owed: { $sum: { $ifNull: ['$left', 1] } },
              due: { $min: '$due' },
            },
          },
          { $project: { owed: 1, overdueMs: { $max: [0, { $subtract: ['$$NOW', '$due'] }] } } },
        ],
        { ...LOCAL_READ, hint: HINTS.byDue },
      )
      .toArray();
    return {
      owed: new Map(found.map(({ _id, owed }) => [_id, owed])),
      overdueMs: Math.max(0, ...found.map(({ overdueMs }) => overdueMs)),
    };
  };

  return {
    claimDue: (request: ClaimRequest): Promise<Claimed> => claimDue(outbox, request),
    expand: (expansions: readonly Expansion[]) => expandSpans(outbox, expansions),
    acknowledge,
    giveBack,
    endWaiting: (request: EndRequest) => endPending(outbox, request),
    earliestUnsent: (questions: readonly OrderQuestion[]) => earliestUnsent(outbox, questions),
    readEvents,
    readLog,
    counts,
    /** Resolves when what is kept of attempts is written. */
    settle: attempts.flush,
  };
};

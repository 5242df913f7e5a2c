import type { mongo } from 'mongoose';
import type { RedeliverRequest } from '../../outbox/delivery-record.js';
import { HINTS, type OutboxDocument } from '../tables/outbox.js';
import { requeuedFields, setEither } from './row-updates.js';
import { MAJORITY_WRITE } from '../concerns.js';

type Rows = mongo.Collection<OutboxDocument>;

/** The age of a span restarts: otherwise its key's next pause would give it up. */
const span = {
  $cond: [
    { $ifNull: ['$span', false] },
    { $mergeObjects: ['$span', { since: '$$NOW' }] },
    '$$REMOVE',
  ],
};

/** Requeues the rows and spans that still match the filter. */
export const requeue = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  key: string,
): Promise<void> => {
  await rows.updateMany(filter, [{ $set: { ...requeuedFields({ $literal: key }), span } }], {
    ...MAJORITY_WRITE,
    hint: HINTS.byId,
  });
};

/**
 * Whether a row is finished, or pending under an ended key; one with an attempt in progress is
 * neither.
 */
const isRequeueable = (ended: readonly string[]): object => ({
  $or: [
    { $ne: ['$st', 'p'] },
    { $and: [{ $eq: ['$own', null] }, { $in: ['$key', { $literal: [...ended] }] }] },
  ],
});

/** A row that waits is due now; one with an attempt in progress is requeued when that has ended. */
const hastenedFields = (key: string) =>
  setEither(
    { $eq: ['$own', null] },
    { due: { $min: ['$due', '$$NOW'] } },
    { again: { $literal: key } },
  );

/**
 * Retries a delivery in any state: one that is finished, or pending under an ended key, is
 * requeued; one that waits is due now; one with an attempt in progress is requeued when that has
 * ended, because it may have started before the request. So an attempt follows in any case. False
 * if there is no such row. A single update reads the state and changes it: between several updates,
 * one per state, the row could change to a state that was checked already.
 */
export const redeliver = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  { to, ended = [] }: Pick<RedeliverRequest, 'to' | 'ended'>,
): Promise<boolean> => {
  const requeued = requeuedFields({ $literal: to });
  const fields = setEither(isRequeueable(ended), requeued, hastenedFields(to));
  const { matchedCount } = await rows.updateOne(filter, [{ $set: fields }], {
    ...MAJORITY_WRITE,
    hint: HINTS.byId,
  });
  return matchedCount > 0;
};

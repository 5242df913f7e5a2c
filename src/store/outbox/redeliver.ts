import type { mongo } from 'mongoose';
import type { RedeliverRequest } from '../../domain/delivery-record.js';
import { HINTS, type OutboxDocument } from '../tables/outbox.js';
import { RELEASED } from './row-updates.js';
import { MAJORITY_WRITE } from '../concerns.js';

type Rows = mongo.Collection<OutboxDocument>;

/**
 * Owed again, with the whole schedule, to the key as it is now. What is known of the last attempt
 * stays, and says that later rows of the resource need not wait for it.
 */
const requeuedFields = (key: string): Readonly<Record<string, unknown>> => ({
  ...RELEASED,
  st: 'p',
  key: { $literal: key },
  due: '$$NOW',
  n: 0,
  expireAt: '$$REMOVE',
});

/** A span is as young as the wish to send it: else its key's next pause would give it up. */
const span = {
  $cond: [
    { $ifNull: ['$span', false] },
    { $mergeObjects: ['$span', { since: '$$NOW' }] },
    '$$REMOVE',
  ],
};

/** Owes rows and spans again: the filter says in which state they still have to be for that. */
export const requeue = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  key: string,
): Promise<void> => {
  await rows.updateMany(filter, [{ $set: { ...requeuedFields(key), span } }], {
    ...MAJORITY_WRITE,
    hint: HINTS.byId,
  });
};

/** A row that is over, or that waits under a key that has ended. One that is being tried is neither. */
const isRequeueable = (ended: readonly string[]): object => ({
  $or: [
    { $ne: ['$st', 'p'] },
    { $and: [{ $eq: ['$own', null] }, { $in: ['$key', { $literal: [...ended] }] }] },
  ],
});

/** Of a row that waits for its next attempt: now. One that is being tried keeps its lease. */
const DUE_NOW_UNLESS_LEASED = {
  $cond: [{ $eq: ['$own', null] }, { $min: ['$due', '$$NOW'] }, '$due'],
};

/**
 * Tries a row again, whatever has become of it: one that is over, or that waits under an ended key,
 * is requeued; one that waits is due now; one that is being tried is left alone. False where there
 * is no such row. One update finds out the state and changes it: between several, each for another
 * state, the row could move from a state still to be asked for to one asked for already.
 */
export const redeliver = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  { to, ended = [] }: Pick<RedeliverRequest, 'to' | 'ended'>,
): Promise<boolean> => {
  const condition = isRequeueable(ended);
  const fields = Object.entries(requeuedFields(to)).map(
    ([name, value]): readonly [string, object] => [
      name,
      { $cond: [condition, value, name === 'due' ? DUE_NOW_UNLESS_LEASED : `$${name}`] },
    ],
  );
  const { matchedCount } = await rows.updateOne(filter, [{ $set: Object.fromEntries(fields) }], {
    ...MAJORITY_WRITE,
    hint: HINTS.byId,
  });
  return matchedCount > 0;
};

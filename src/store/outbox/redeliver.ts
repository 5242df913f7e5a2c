import type { mongo } from 'mongoose';
import type { RedeliverRequest } from '../../outbox/delivery-record.js';
import { HINTS, type OutboxDocument } from '../tables/outbox.js';
import { RELEASED } from './row-updates.js';
import { MAJORITY_WRITE } from '../concerns.js';

type Rows = mongo.Collection<OutboxDocument>;

/**
 * Pending again with the whole retry schedule, under the current key. The last attempt is kept;
 * because of it, later rows of the resource need not wait.
 */
const requeuedFields = (key: string): Readonly<Record<string, unknown>> => ({
  ...RELEASED,
  st: 'p',
  key: { $literal: key },
  due: '$$NOW',
  n: 0,
  expireAt: '$$REMOVE',
});

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
  await rows.updateMany(filter, [{ $set: { ...requeuedFields(key), span } }], {
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

/** Makes a waiting row due now; one with an attempt in progress keeps its lease. */
const DUE_NOW_UNLESS_LEASED = {
  $cond: [{ $eq: ['$own', null] }, { $min: ['$due', '$$NOW'] }, '$due'],
};

/**
 * Retries a delivery in any state: one that is finished, or pending under an ended key, is
 * requeued; one that waits is due now; one with an attempt in progress is left alone. False if
 * there is no such row. A single update reads the state and changes it: between several updates,
 * one per state, the row could change to a state that was checked already.
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

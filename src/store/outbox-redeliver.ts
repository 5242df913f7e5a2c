import type { mongo } from 'mongoose';
import { HINTS, type OutboxDocument } from './outbox-document.js';
import { LET_GO } from './outbox-update.js';

type Rows = mongo.Collection<OutboxDocument>;

/** 202 is a promise: it must not be undone by a change of primary. */
const SURE = { writeConcern: { w: 'majority' } } as const;

/**
 * Owed again, with the whole schedule, to the key as it is now. What is known of the last attempt
 * stays, and says that later rows of the resource need not wait for it.
 */
const OWED_AGAIN = (key: string): object => ({
  ...LET_GO,
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

/** Owes rows and spans that are over again; tells how many there were. */
export const oweAgain = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  key: string,
): Promise<number> => {
  const { modifiedCount } = await rows.updateMany(
    { ...filter, st: { $ne: 'p' } },
    [{ $set: { ...OWED_AGAIN(key), span } }],
    { ...SURE, hint: HINTS.byId },
  );
  return modifiedCount;
};

/** Owes a row again that waits under a key that has ended. One that is being tried is left alone. */
export const takeUp = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
  key: string,
): Promise<boolean> => {
  const { modifiedCount } = await rows.updateMany(
    { ...filter, st: 'p', own: null },
    [{ $set: OWED_AGAIN(key) }],
    { ...SURE, hint: HINTS.byId },
  );
  return modifiedCount > 0;
};

/** Of a row that waits for its next attempt: now. One that is being tried is left alone. */
export const hurryOn = async (
  rows: Rows,
  filter: mongo.Filter<OutboxDocument>,
): Promise<boolean> => {
  const { matchedCount } = await rows.updateMany(
    { ...filter, st: 'p' },
    [
      {
        $set: {
          due: { $cond: [{ $eq: ['$own', null] }, { $min: ['$due', '$$NOW'] }, '$due'] },
        },
      },
    ],
    { ...SURE, hint: HINTS.byId },
  );
  return matchedCount > 0;
};

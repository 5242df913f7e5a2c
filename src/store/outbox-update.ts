import type { mongo } from 'mongoose';
import type { Acknowledgement, Ending } from '../domain/outbox-work.js';
import { HINTS, type OutboxDocument, type OutboxState } from './outbox-document.js';

const DAY_MS = 86_400_000;

/** How long finished rows are kept (webhook-delivery.md 2). */
const KEPT_MS: Readonly<Record<Exclude<OutboxState, 'p'>, number>> = {
  d: 7 * DAY_MS,
  f: 30 * DAY_MS,
  x: 7 * DAY_MS,
};

const STATES = { delivered: 'd', failed: 'f', dropped: 'x' } as const;

/** The server's time, so many milliseconds on. */
const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });

/** Held by nobody. */
export const LET_GO = { own: null, claim: null } as const;

/** The attempt that it was held for was not made. */
export const UNCOUNT = { n: { $max: [0, { $subtract: ['$n', 1] }] } } as const;

/** The fields of a row that is over. */
export const finished = (kind: keyof typeof STATES): object => ({
  ...LET_GO,
  st: STATES[kind],
  expireAt: inMs(KEPT_MS[STATES[kind]]),
});

/** Literal, for a text that begins with a dollar sign would be taken for a field's name. */
export const lastAttempt = ({ reason, ms }: NonNullable<Acknowledgement['attempt']>): object => ({
  last: { at: '$$NOW', reason: { $literal: reason }, ms },
});

const fieldsOf = (ending: Ending): object => {
  switch (ending.kind) {
    case 'retry':
      return { ...LET_GO, due: inMs(ending.inMs) };
    case 'deferred':
      return { ...LET_GO, ...UNCOUNT, due: inMs(ending.inMs) };
    default:
      return finished(ending.kind);
  }
};

/** Ends an attempt, where the row is still held by that owner and claim. */
export const toUpdate = ({
  id,
  owner,
  claim,
  ending,
  attempt,
}: Acknowledgement): mongo.AnyBulkWriteOperation<OutboxDocument> => ({
  updateOne: {
    filter: { _id: id, st: 'p', own: owner, claim },
    hint: HINTS.byId,
    update: [{ $set: { ...fieldsOf(ending), ...(attempt && lastAttempt(attempt)) } }],
  },
});

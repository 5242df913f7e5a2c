import type * as mongo from 'mongodb';
import type { Acknowledgement, ClaimResult, FinishedAttempt } from '../../outbox/outbox-claims.js';
import {
  type AttemptText,
  HINTS,
  type OutboxDocument,
  type OutboxState,
} from '../tables/outbox.js';

const DAY_MS = 86_400_000;

/** How long finished rows are kept. */
export const RETENTION_MS: Readonly<Record<Exclude<OutboxState, 'p'>, number>> = {
  d: 7 * DAY_MS,
  f: 30 * DAY_MS,
  x: 7 * DAY_MS,
};

const STATES = { delivered: 'd', failed: 'f', dropped: 'x' } as const;

/** The server's time plus this many milliseconds. */
const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });

/** Held by no instance. */
export const RELEASED = { own: null, claim: null } as const;

/** The attempt that it was leased for was not made. */
const UNCOUNT_ATTEMPT = { n: { $max: [0, { $subtract: ['$n', 1] }] } } as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Pending again with the whole retry schedule, under this key. The last attempt is kept; because of
 * it, later rows of the resource need not wait.
 */
export const requeuedFields = (key: string | object): Fields => ({
  ...RELEASED,
  st: 'p',
  key,
  due: '$$NOW',
  n: 0,
  again: '$$REMOVE',
  expireAt: '$$REMOVE',
});

/** Sets the fields `yes` of rows that meet the condition, and the fields `no` of all others. */
export const setEither = (condition: object, yes: Fields, no: Fields): Fields =>
  Object.fromEntries(
    Object.keys({ ...yes, ...no }).map((name) => {
      const valueIn = (fields: Fields): unknown => (name in fields ? fields[name] : `$${name}`);
      return [name, { $cond: [condition, valueIn(yes), valueIn(no)] }];
    }),
  );

/**
 * Ends a lease with these fields. If a redelivery was requested since it began, the row is requeued
 * instead: the attempt that has ended may have started before the request.
 */
const endLease = (fields: Fields, due: unknown = '$$NOW'): Fields =>
  setEither({ $gt: ['$again', null] }, { ...requeuedFields('$again'), due }, fields);

/** The fields of a row whose attempt was not made, and that may be claimed after this time. */
export const deferredFields = (due: unknown): Fields =>
  endLease({ ...RELEASED, ...UNCOUNT_ATTEMPT, due }, due);

/** The fields of a finished row. */
export const finishedFields = (kind: keyof typeof STATES): Fields => ({
  ...RELEASED,
  st: STATES[kind],
  expireAt: inMs(RETENTION_MS[STATES[kind]]),
});

/** A literal, because a text that starts with a dollar sign would be read as a field name. */
export const lastAttemptFields = ({
  reason,
  ms,
}: {
  readonly reason: string | null;
  /** Milliseconds, or an expression over the row. */
  readonly ms: number | object;
}): object => ({
  last: { at: '$$NOW', reason: { $literal: reason }, ms },
});

const fieldsOf = (ending: ClaimResult): Fields => {
  switch (ending.kind) {
    case 'retry':
      return endLease({ ...RELEASED, due: inMs(ending.inMs) });
    case 'deferred':
      return deferredFields(inMs(ending.inMs));
    default:
      return endLease(finishedFields(ending.kind));
  }
};

/** Rows per update: the list of ids is searched for each. */
const MAX_ROWS_PER_UPDATE = 100;

/** An acknowledgement, and the record of its attempt if it is stored in the row. */
export interface RowEnding {
  readonly acknowledgement: Acknowledgement;
  readonly text: AttemptText | undefined;
}

type EndingGroup = readonly [RowEnding, ...RowEnding[]];

/** Groups acknowledgements that differ only in the duration and record of the attempt. */
const groupAlike = (batch: readonly RowEnding[]): readonly EndingGroup[] => {
  const groups: [RowEnding, ...RowEnding[]][] = [];
  const open = new Map<string, [RowEnding, ...RowEnding[]]>();
  for (const each of batch) {
    const { owner, claim, result, attempt } = each.acknowledgement;
    const alike = JSON.stringify([owner, claim, result, attempt && attempt.reason, !each.text]);
    const group = open.get(alike);
    if (group && group.length < MAX_ROWS_PER_UPDATE) group.push(each);
    else {
      const opened: [RowEnding] = [each];
      open.set(alike, opened);
      groups.push(opened);
    }
  }
  return groups;
};

/**
 * Ends attempts, each if its row is still held by that owner and claim. Those with the same outcome
 * are one update: for the server eight updates are more than twice the work of one for eight rows,
 * and thirty-two more than three times (measured with mongod 6.0.5).
 */
export const toUpdates = (
  batch: readonly RowEnding[],
): mongo.AnyBulkWriteOperation<OutboxDocument>[] =>
  groupAlike(batch).map((group) => {
    const [{ acknowledgement, text }] = group;
    const { owner, claim, result, attempt } = acknowledgement;
    const ids = group.map((each) => each.acknowledgement.id as string);
    const times = group.map((each) => each.acknowledgement.attempt?.ms ?? 0);
    const records = group.map((each, index) => ({ ms: times[index], ...each.text }));
    return {
      updateMany: {
        filter: { _id: { $in: ids }, st: 'p', own: owner, claim },
        hint: HINTS.byId,
        update: [
          {
            $set: {
              ...fieldsOf(result),
              ...(attempt &&
                lastAttemptFields({ reason: attempt.reason, ms: valueForRow(ids, times) })),
              ...(attempt && text && { first: firstAttempt(attempt, valueForRow(ids, records)) }),
            },
          },
        ],
      },
    };
  });

const firstAttempt = ({ reason }: FinishedAttempt, record: object): object => ({
  $mergeObjects: [{ at: '$$NOW', reason: { $literal: reason } }, record],
});

/** The row's own value in a list that is in the order of the ids. Literal: texts may have dollars. */
const valueForRow = (ids: readonly string[], list: readonly unknown[]): object => ({
  $arrayElemAt: [{ $literal: list }, { $indexOfArray: [{ $literal: ids }, '$_id'] }],
});

import type { mongo } from 'mongoose';
import type { Acknowledgement, ClaimResult } from '../../outbox/outbox-claims.js';
import { HINTS, type OutboxDocument, type OutboxState } from '../tables/outbox.js';

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
export const UNCOUNT_ATTEMPT = { n: { $max: [0, { $subtract: ['$n', 1] }] } } as const;

/** The fields of a finished row. */
export const finishedFields = (kind: keyof typeof STATES): object => ({
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

const fieldsOf = (ending: ClaimResult): object => {
  switch (ending.kind) {
    case 'retry':
      return { ...RELEASED, due: inMs(ending.inMs) };
    case 'deferred':
      return { ...RELEASED, ...UNCOUNT_ATTEMPT, due: inMs(ending.inMs) };
    default:
      return finishedFields(ending.kind);
  }
};

/** Rows per update: the list of ids is searched for each. */
const MAX_ROWS_PER_UPDATE = 100;

/** Groups acknowledgements that differ only in the duration of the attempt. */
const groupAlike = (
  batch: readonly Acknowledgement[],
): readonly (readonly [Acknowledgement, ...Acknowledgement[]])[] => {
  const groups: [Acknowledgement, ...Acknowledgement[]][] = [];
  const open = new Map<string, [Acknowledgement, ...Acknowledgement[]]>();
  for (const each of batch) {
    const { owner, claim, result, attempt } = each;
    const alike = JSON.stringify([owner, claim, result, attempt && attempt.reason]);
    const group = open.get(alike);
    if (group && group.length < MAX_ROWS_PER_UPDATE) group.push(each);
    else {
      const opened: [Acknowledgement] = [each];
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
  batch: readonly Acknowledgement[],
): mongo.AnyBulkWriteOperation<OutboxDocument>[] =>
  groupAlike(batch).map((group) => {
    const [{ owner, claim, result, attempt }] = group;
    const ids = group.map(({ id }) => id as string);
    const times = group.map((each) => each.attempt?.ms ?? 0);
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
            },
          },
        ],
      },
    };
  });

/** The row's own value in a list that is in the order of the ids. */
const valueForRow = (ids: readonly string[], list: readonly number[]): object => ({
  $arrayElemAt: [list, { $indexOfArray: [ids, '$_id'] }],
});

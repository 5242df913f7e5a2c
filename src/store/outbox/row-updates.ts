import type { mongo } from 'mongoose';
import type { Acknowledgement, Ending } from '../../domain/outbox-work.js';
import { HINTS, type OutboxDocument, type OutboxState } from '../tables/outbox.js';

const DAY_MS = 86_400_000;

/** How long finished rows are kept (webhook-delivery.md 2). */
export const RETENTION_MS: Readonly<Record<Exclude<OutboxState, 'p'>, number>> = {
  d: 7 * DAY_MS,
  f: 30 * DAY_MS,
  x: 7 * DAY_MS,
};

const STATES = { delivered: 'd', failed: 'f', dropped: 'x' } as const;

/** The server's time, so many milliseconds on. */
const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });

/** Held by nobody. */
export const RELEASED = { own: null, claim: null } as const;

/** The attempt that it was held for was not made. */
export const UNCOUNT_ATTEMPT = { n: { $max: [0, { $subtract: ['$n', 1] }] } } as const;

/** The fields of a row that is over. */
export const finishedFields = (kind: keyof typeof STATES): object => ({
  ...RELEASED,
  st: STATES[kind],
  expireAt: inMs(RETENTION_MS[STATES[kind]]),
});

/** Literal, for a text that begins with a dollar sign would be taken for a field's name. */
export const lastAttemptFields = ({
  reason,
  ms,
}: {
  readonly reason: string | null;
  /** Or an expression of the row. */
  readonly ms: number | object;
}): object => ({
  last: { at: '$$NOW', reason: { $literal: reason }, ms },
});

const fieldsOf = (ending: Ending): object => {
  switch (ending.kind) {
    case 'retry':
      return { ...RELEASED, due: inMs(ending.inMs) };
    case 'deferred':
      return { ...RELEASED, ...UNCOUNT_ATTEMPT, due: inMs(ending.inMs) };
    default:
      return finishedFields(ending.kind);
  }
};

/** Rows that one update ends: each is looked for in the list of them. */
const MAX_ROWS_PER_UPDATE = 100;

/** Acknowledgements that say the same of their rows, but for how long the attempt took. */
const groupAlike = (
  batch: readonly Acknowledgement[],
): readonly (readonly [Acknowledgement, ...Acknowledgement[]])[] => {
  const groups: [Acknowledgement, ...Acknowledgement[]][] = [];
  const open = new Map<string, [Acknowledgement, ...Acknowledgement[]]>();
  for (const each of batch) {
    const { owner, claim, ending, attempt } = each;
    const alike = JSON.stringify([owner, claim, ending, attempt && attempt.reason]);
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
 * Ends attempts, each where its row is still held by that owner and claim. Those that ended alike
 * are one update: for the server eight updates are more than twice the work of one of eight rows,
 * and thirty-two more than three times (seen, mongod 6.0.5).
 */
export const toUpdates = (
  batch: readonly Acknowledgement[],
): mongo.AnyBulkWriteOperation<OutboxDocument>[] =>
  groupAlike(batch).map((group) => {
    const [{ owner, claim, ending, attempt }] = group;
    const ids = group.map(({ id }) => id as string);
    const times = group.map((each) => each.attempt?.ms ?? 0);
    return {
      updateMany: {
        filter: { _id: { $in: ids }, st: 'p', own: owner, claim },
        hint: HINTS.byId,
        update: [
          {
            $set: {
              ...fieldsOf(ending),
              ...(attempt &&
                lastAttemptFields({ reason: attempt.reason, ms: valueForRow(ids, times) })),
            },
          },
        ],
      },
    };
  });

/** What of a list, in the order of the ids, is the row's own. */
const valueForRow = (ids: readonly string[], list: readonly number[]): object => ({
  $arrayElemAt: [list, { $indexOfArray: [ids, '$_id'] }],
});

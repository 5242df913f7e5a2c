import type { mongo } from 'mongoose';
import type { Acknowledgement, Ending } from '../domain/outbox-work.js';
import { HINTS, type OutboxDocument, type OutboxState } from './outbox-document.js';

const DAY_MS = 86_400_000;

/** How long finished rows are kept (webhook-delivery.md 2). */
export const KEPT_MS: Readonly<Record<Exclude<OutboxState, 'p'>, number>> = {
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
export const lastAttempt = ({
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
      return { ...LET_GO, due: inMs(ending.inMs) };
    case 'deferred':
      return { ...LET_GO, ...UNCOUNT, due: inMs(ending.inMs) };
    default:
      return finished(ending.kind);
  }
};

/** Rows that one update ends: each is looked for in the list of them. */
const MOST_AT_ONCE = 100;

/** Acknowledgements that say the same of their rows, but for how long the attempt took. */
const inGroups = (
  batch: readonly Acknowledgement[],
): readonly (readonly [Acknowledgement, ...Acknowledgement[]])[] => {
  const groups: [Acknowledgement, ...Acknowledgement[]][] = [];
  const open = new Map<string, [Acknowledgement, ...Acknowledgement[]]>();
  for (const each of batch) {
    const { owner, claim, ending, attempt } = each;
    const alike = JSON.stringify([owner, claim, ending, attempt && attempt.reason]);
    const group = open.get(alike);
    if (group && group.length < MOST_AT_ONCE) group.push(each);
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
  inGroups(batch).map((group) => {
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
              ...(attempt && lastAttempt({ reason: attempt.reason, ms: ofRow(ids, times) })),
            },
          },
        ],
      },
    };
  });

/** What of a list, in the order of the ids, is the row's own. */
const ofRow = (ids: readonly string[], list: readonly number[]): object => ({
  $arrayElemAt: [list, { $indexOfArray: [ids, '$_id'] }],
});

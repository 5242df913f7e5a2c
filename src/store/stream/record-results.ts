import * as mongo from 'mongodb';
import type { DomainEvent } from '../../domain/events.js';
import { type DeliveryResult, partitionOf } from '../../ports/event-stream.js';
import { MAJORITY_WRITE, PRIMARY_WRITE } from '../concerns.js';
import { DUPLICATE_KEY } from '../database-errors.js';
import {
  type AttemptFields,
  type DeliveryDocument,
  type DeliveryStateCode,
  HINTS,
  STATE_CODES,
  toText,
} from '../tables/deliveries.js';

type Operation = mongo.AnyBulkWriteOperation<DeliveryDocument>;
type FirstResult = DeliveryResult & { readonly event: DomainEvent };

const DAY_MS = 86_400_000;

/** How long finished deliveries are kept. */
export const RETENTION_MS: Readonly<Record<Exclude<DeliveryStateCode, 'p'>, number>> = {
  d: 7 * DAY_MS,
  f: 30 * DAY_MS,
  x: 7 * DAY_MS,
};

/** Attempts that a delivery keeps: those of a whole schedule, and of some redeliveries. */
export const MAX_ATTEMPTS = 40;
/** A long record might make a document impossible to write, and it would be sent again for ever. */
const MAX_TEXT = 64 * 1_024;

const stateFields = (
  { ending, event }: DeliveryResult,
  now: number,
): Pick<DeliveryDocument, 'st' | 'due' | 'part' | 'expireAt'> => {
  if (ending.kind === 'retry') {
    const due = new Date(now + ending.inMs);
    return { st: 'p', due, ...(event && { part: partitionOf(event.tenantId) }) };
  }
  const st = STATE_CODES[ending.kind];
  return { st, expireAt: new Date(now + RETENTION_MS[st]) };
};

const attemptFields = (
  { attempt, reason }: DeliveryResult,
  now: number,
): readonly AttemptFields[] => {
  if (!attempt) return [];
  const { ms, kept } = attempt;
  const text = toText(kept);
  const isShort = (text.summary?.length ?? 0) + (text.details?.length ?? 0) <= MAX_TEXT;
  return [{ at: new Date(now - ms), ms, reason, ...(isShort && text) }];
};

const lastOf = ({ reason }: DeliveryResult, now: number) => ({ at: new Date(now), reason });

const isFirst = (result: DeliveryResult): result is FirstResult =>
  result.revision === undefined && result.event !== undefined;

const insertion = (result: FirstResult, now: number): Operation => {
  const { id, plugin, key, event, attempts: n } = result;
  const { tenantId: tenant, id: ev, seq, name, at } = event;
  const document: DeliveryDocument = {
    ...{ _id: id, tenant, plugin, key, ev, seq, name, at, n },
    ...stateFields(result, now),
    last: lastOf(result, now),
    attempts: attemptFields(result, now),
  };
  return { insertOne: { document } };
};

/**
 * The end of a retry, or of a first attempt whose delivery is recorded already: it was sent before a
 * crash, or a redelivery was requested. A delivery that was queued again since the attempt began
 * keeps its state, so that an attempt follows.
 */
const update = (result: DeliveryResult, now: number): Operation => {
  const { id, attempts: n, revision = 0 } = result;
  const isCurrent = { $eq: [{ $ifNull: ['$rev', 0] }, revision] };
  const state: Partial<DeliveryDocument> = { n, ...stateFields(result, now) };
  const changed = (['st', 'n', 'due', 'part', 'expireAt'] as const).map((name) => [
    name,
    { $cond: [isCurrent, state[name] ?? '$$REMOVE', `$${name}`] },
  ]);
  const added = { $literal: attemptFields(result, now) };
  const all = { $concatArrays: [{ $ifNull: ['$attempts', []] }, added] };
  return {
    updateOne: {
      filter: { _id: id },
      hint: HINTS.byId,
      update: [
        {
          $set: {
            attempts: { $slice: [all, -MAX_ATTEMPTS] },
            last: { $literal: lastOf(result, now) },
            ...(Object.fromEntries(changed) as object),
          },
        },
      ],
    },
  };
};

/** The places of the operations that found a document with their id; undefined if others failed. */
const duplicatesIn = (error: unknown): readonly number[] | undefined => {
  if (!(error instanceof mongo.MongoBulkWriteError)) return undefined;
  const failures = [error.writeErrors].flat();
  const isDuplicate = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
  return isDuplicate ? failures.map(({ index }) => index) : undefined;
};

/** Writes results. `now`: the database's time. */
export const recordResults = async (
  deliveries: mongo.Collection<DeliveryDocument>,
  results: readonly DeliveryResult[],
  now: number,
): Promise<void> => {
  const first = results.filter(isFirst);
  const known = results.filter((result) => !isFirst(result));
  const hasRetries = results.some(({ ending }) => ending.kind === 'retry');
  const concern = hasRetries ? MAJORITY_WRITE : PRIMARY_WRITE;
  const write = async (operations: Operation[]): Promise<void> => {
    if (operations.length > 0)
      await deliveries.bulkWrite(operations, { ordered: false, ...concern });
  };
  await write(first.map((result) => insertion(result, now))).catch((error: unknown) => {
    const duplicates = duplicatesIn(error);
    if (!duplicates) throw error;
    known.push(...duplicates.flatMap((index) => first[index] ?? []));
  });
  await write(known.map((result) => update(result, now)));
};

import * as mongo from 'mongodb';
import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { Expansion } from '../../outbox/outbox-claims.js';
import { HINTS, type OutboxDocument, toOutboxDocument } from '../tables/outbox.js';
import { MAJORITY_WRITE, PRIMARY_WRITE } from '../concerns.js';
import { DUPLICATE_KEY } from '../database-errors.js';
import { RELEASED } from './row-updates.js';

/** Only the instance that holds a span moves it on, under the claim of these events. */
const toSpanUpdate = ({
  span: { id, claim, rest },
  owner,
}: Expansion): mongo.AnyBulkWriteOperation<OutboxDocument> => {
  const filter = { _id: id, st: 'p', own: owner, claim } as const;
  if (!rest) return { deleteOne: { filter, hint: HINTS.byId } };
  const left = { ...RELEASED, n: 0, seq: rest.seq, left: rest.left, due: '$span.since' };
  return { updateOne: { filter, hint: HINTS.byId, update: [{ $set: left }] } };
};

/** Inserts the rows that do not exist and returns them. */
const insertNew = async (
  outbox: mongo.Collection<OutboxDocument>,
  documents: readonly OutboxDocument[],
): Promise<readonly OutboxDocument[]> => {
  if (documents.length === 0) return [];
  try {
    await outbox.insertMany([...documents], { ordered: false, ...MAJORITY_WRITE });
    return documents;
  } catch (error) {
    const duplicates = duplicatesIn(error);
    if (!duplicates) throw error;
    return documents.filter((_, index) => !duplicates.has(index));
  }
};

/** The indexes of rows that exist; undefined for any other error. */
const duplicatesIn = (error: unknown): ReadonlySet<number> | undefined => {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return;
  const faults = [error.writeErrors].flat();
  if (faults.length === 0 || faults.some(({ code }) => code !== DUPLICATE_KEY)) return;
  return new Set(faults.map(({ index }) => index));
};

/**
 * Inserts the rows, on a majority, and then moves the spans on. A crash between the two leaves rows
 * that their span still contains: the next instance finds them by their ids and skips them. No
 * transaction, which a crash would leave open: the ids prevent duplicates. A row could only return
 * if an instance paused between claim and write for longer than finished rows are kept, 7 days; its
 * receiver would recognise it by its id, like any repetition.
 */
export const expandSpans = async (
  outbox: mongo.Collection<OutboxDocument>,
  expansions: readonly Expansion[],
): Promise<ReadonlySet<DeliveryId>> => {
  const documents = expansions.flatMap(({ span: { claim }, rows }) =>
    rows.map((row) => ({ ...toOutboxDocument(row), claim })),
  );
  const inserted = await insertNew(outbox, documents);
  await outbox.bulkWrite(expansions.map(toSpanUpdate), { ordered: false, ...PRIMARY_WRITE });
  return new Set(inserted.map(({ _id }) => _id as DeliveryId));
};

import { mongo } from 'mongoose';
import type { DeliveryId } from '../../domain/ids.js';
import type { Expansion } from '../../domain/outbox-work.js';
import { HINTS, type OutboxDocument, toOutboxDocument } from '../tables/outbox.js';
import { MAJORITY_WRITE, PRIMARY_WRITE } from '../concerns.js';
import { RELEASED } from './row-updates.js';

const DUPLICATE_KEY = 11_000;

/** A span is moved only by who holds it, and by the claim that it took these events with. */
const toSpanUpdate = ({
  span: { id, claim, rest },
  owner,
}: Expansion): mongo.AnyBulkWriteOperation<OutboxDocument> => {
  const filter = { _id: id, st: 'p', own: owner, claim } as const;
  if (!rest) return { deleteOne: { filter, hint: HINTS.byId } };
  const left = { ...RELEASED, n: 0, seq: rest.seq, left: rest.left, due: '$span.since' };
  return { updateOne: { filter, hint: HINTS.byId, update: [{ $set: left }] } };
};

/** Writes those that are not there, and tells which these were. */
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

/** The places of rows that were there; undefined where anything else went wrong. */
const duplicatesIn = (error: unknown): ReadonlySet<number> | undefined => {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return;
  const faults = [error.writeErrors].flat();
  if (faults.length === 0 || faults.some(({ code }) => code !== DUPLICATE_KEY)) return;
  return new Set(faults.map(({ index }) => index));
};

/**
 * Rows first, by a majority; then the spans move on. Between the two a crash leaves rows whose span
 * still names them: whoever takes it next finds them there and passes them. No transaction, which a
 * gateway that dies in it would leave open: the ids are what keeps a row from being there twice.
 * One could come back only if an instance slept between claim and write for longer than finished
 * rows are kept, 7 days; its receiver would know it again by its id, like any repetition.
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

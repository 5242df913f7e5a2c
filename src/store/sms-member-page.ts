import type { mongo } from 'mongoose';
import type { SmsMemberConditions, SmsMemberPage } from '../api/sms-lists.js';
import type { Page } from '../api/tenants.js';
import type { SmsListId, TenantId } from '../domain/ids.js';
import type { Collections } from './collections.js';
import { fromSmsListDocument, fromSmsMemberDocument } from './sms-document.js';
import type { SmsListDocument, SmsMemberDocument } from './sms-documents.js';
import { findSmsPlace, SMS_STRETCH_OF_PLACE } from './sms-order.js';

type Query = mongo.Filter<SmsMemberDocument>;

/** A read of many members stops here, in milliseconds. */
const MOST_TIME = 5_000;

interface View {
  readonly collections: Collections;
  readonly session: mongo.ClientSession;
  readonly list: SmsListDocument;
}

/** How many there are in each stretch of places, by its number. */
type Counts = Readonly<Record<string, number>>;

/**
 * How many members' windows do not hold, by stretch or over all. Each begins before it ends, so
 * nobody is counted twice; and only those are looked at, in an index, of whom a list that is in use
 * has few.
 */
const countOthers = async (
  { collections: { smsMembers }, session, list: { tenant, _id: id } }: View,
  validAt: Date,
  by: typeof SMS_STRETCH_OF_PLACE | null,
): Promise<Counts> => {
  const conditions: readonly Query[] = [{ starts: { $gt: validAt } }, { ends: { $lte: validAt } }];
  const counted = await Promise.all(
    conditions.map((condition) =>
      smsMembers
        .aggregate<{ _id: number; n: number }>(
          [{ $match: { tenant, list: id, ...condition } }, { $group: { _id: by, n: { $sum: 1 } } }],
          { session, maxTimeMS: MOST_TIME, batchSize: 10_000 },
        )
        .toArray(),
    ),
  );
  const others: Record<string, number> = {};
  for (const { _id: stretch, n } of counted.flat()) others[stretch] = (others[stretch] ?? 0) + n;
  return others;
};

interface Found {
  readonly documents: readonly SmsMemberDocument[];
  readonly total: number;
}

const read = async (
  { collections: { smsMembers }, session, list: { tenant, _id: id } }: View,
  condition: Query,
  { offset, limit }: Page,
): Promise<readonly SmsMemberDocument[]> =>
  smsMembers
    .find(
      { tenant, list: id, ...condition },
      { session, maxTimeMS: MOST_TIME, batchSize: limit + 1 },
    )
    .sort({ place: 1 })
    .skip(offset)
    .limit(limit)
    .toArray();

const sumOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const without = (stretches: Counts, others: Counts): Counts =>
  Object.fromEntries(
    Object.entries(stretches).map(([stretch, n]) => [stretch, n - (others[stretch] ?? 0)]),
  );

/** Any page is found by the counts of the stretches, however far in it is. */
const readFrom = async (
  view: View,
  { stretches, condition }: { readonly stretches: Counts; readonly condition: Query },
  { offset, limit }: Page,
): Promise<Found> => {
  const total = sumOf(stretches);
  if (offset >= total) return { documents: [], total };
  const { from, skip } = findSmsPlace(stretches, offset);
  const wanted = { ...condition, place: { $gte: from } };
  return { documents: await read(view, wanted, { offset: skip, limit }), total };
};

const readAll = (view: View, page: Page): Promise<Found> =>
  readFrom(view, { stretches: view.list.stretches, condition: {} }, page);

const holding = (validAt: Date): Query => ({ from: { $lte: validAt }, until: { $gt: validAt } });

/** The first page needs no place to begin at: it is read while the others are counted. */
const readFirstValid = async (view: View, validAt: Date, page: Page): Promise<Found> => {
  const [others, documents] = await Promise.all([
    countOthers(view, validAt, null),
    read(view, holding(validAt), page),
  ]);
  return { documents, total: view.list.memberCount - sumOf(others) };
};

const readValid = async (view: View, validAt: Date, page: Page): Promise<Found> => {
  if (page.offset === 0) return readFirstValid(view, validAt, page);
  const others = await countOthers(view, validAt, SMS_STRETCH_OF_PLACE);
  const stretches = without(view.list.stretches, others);
  return readFrom(view, { stretches, condition: holding(validAt) }, page);
};

/** A page of a list's members and their number, as of one moment: nobody is counted who is not there. */
export const pageOfSmsMembers = async (
  collections: Collections,
  tenantId: TenantId,
  id: SmsListId,
  { validAt, offset, limit }: SmsMemberConditions & Page,
): Promise<SmsMemberPage | undefined> =>
  collections.client.withSession({ snapshot: true }, async (session) => {
    const list = await collections.smsLists.findOne({ _id: id, tenant: tenantId }, { session });
    if (!list) return undefined;
    const view = { collections, session, list };
    const page = { offset, limit };
    const { documents, total } = validAt
      ? await readValid(view, validAt, page)
      : await readAll(view, page);
    return {
      list: fromSmsListDocument(list),
      members: documents.map(fromSmsMemberDocument),
      total,
    };
  });

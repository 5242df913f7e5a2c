import type { mongo } from 'mongoose';
import type { SmsMemberConditions, SmsMemberPage } from '../api/sms-lists.js';
import type { Page } from '../api/tenants.js';
import type { SmsListId, TenantId } from '../domain/ids.js';
import type { Collections } from './collections.js';
import { fromSmsListDocument, fromSmsMemberDocument } from './sms-document.js';
import type { SmsListDocument, SmsMemberDocument } from './sms-documents.js';
import { findSmsPlace } from './sms-order.js';

type Query = mongo.Filter<SmsMemberDocument>;

/** A read of many members stops here, in milliseconds. */
const MOST_TIME = 5_000;

interface View {
  readonly collections: Collections;
  readonly session: mongo.ClientSession;
  readonly list: SmsListDocument;
}

/**
 * How many members' windows do not hold. Each begins before it ends, so nobody is counted twice; and
 * only those are looked at, of whom a list that is in use has few.
 */
const countOthers = async (
  { collections: { smsMembers }, session, list: { tenant, _id: id } }: View,
  validAt: Date,
): Promise<number> => {
  const count = async (condition: Query): Promise<number> => {
    const counted = await smsMembers
      .aggregate<{ n: number }>([{ $match: { tenant, list: id, ...condition } }, { $count: 'n' }], {
        session,
        maxTimeMS: MOST_TIME,
      })
      .next();
    return counted?.n ?? 0;
  };
  const notYet = await count({ starts: { $gt: validAt } });
  return notYet + (await count({ ends: { $lte: validAt } }));
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

/** Any page of all members is found by the counts of the stretches, however far in it is. */
const readAll = async (view: View, { offset, limit }: Page): Promise<Found> => {
  const { stretches, memberCount } = view.list;
  const { from, skip } = findSmsPlace(stretches, offset);
  const documents = await read(view, { place: { $gte: from } }, { offset: skip, limit });
  return { documents, total: memberCount };
};

const readValid = async (view: View, validAt: Date, page: Page): Promise<Found> => {
  const others = await countOthers(view, validAt);
  if (others === 0) return readAll(view, page);
  const total = view.list.memberCount - others;
  if (page.offset >= total) return { documents: [], total };
  const documents = await read(view, { from: { $lte: validAt }, until: { $gt: validAt } }, page);
  return { documents, total };
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

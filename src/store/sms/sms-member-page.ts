import type { mongo } from 'mongoose';
import type { SmsMemberConditions, SmsMemberPage } from '../../api/sms-lists.js';
import type { Page } from '../../api/tenants.js';
import type { SmsListId, TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import { fromSmsListFields } from '../tables/sms-lists.js';
import { fromSmsMemberDocument } from '../tables/sms-members.js';
import type { SmsMemberDocument } from '../tables/sms-members.js';
import type { SearchLimits } from '../read/search-limits.js';
import { findInSegments, type SegmentCounts, SEGMENTS, SMS_SEGMENT } from '../tables/segments.js';
import {
  type CountInvalidMembers,
  createInvalidMemberCounter,
  type ListView,
  type InvalidMembers,
} from './invalid-members.js';
import { readDocuments } from '../read-documents.js';

type Query = mongo.Filter<SmsMemberDocument>;

/** Time limit of a read of many members. */
const MAX_TIME_MS = 5_000;

/** The members that a page is of: their number, and how many each segment has. */
interface Selection {
  readonly segments: SegmentCounts;
  readonly total: number;
  readonly condition: Query;
}

interface FoundMembers {
  readonly documents: readonly SmsMemberDocument[];
  readonly total: number;
}

const read = async (
  { collections: { smsMembers }, session, list: { tenant, _id: id } }: ListView,
  condition: Query,
  { offset, limit }: Page,
): Promise<readonly SmsMemberDocument[]> =>
  readDocuments(
    smsMembers
      .find(
        { tenant, list: id, ...condition },
        { session, maxTimeMS: MAX_TIME_MS, batchSize: limit + 1 },
      )
      .sort({ place: 1 })
      .skip(offset)
      .limit(limit),
    tenant,
  );

/** Finds any page by the counts of the segments, however far in it is. */
const readFrom = async (
  view: ListView,
  { segments, total, condition }: Selection,
  { offset, limit }: Page,
): Promise<FoundMembers> => {
  if (offset >= total) return { documents: [], total };
  const { from, skip } = findInSegments(SMS_SEGMENT, segments, offset);
  const wanted = { ...condition, place: { $gte: from } };
  return { documents: await read(view, wanted, { offset: skip, limit }), total };
};

const readAll = (view: ListView, page: Page): Promise<FoundMembers> => {
  const { [SEGMENTS]: segments, memberCount } = view.list;
  return readFrom(view, { segments, total: memberCount, condition: {} }, page);
};

const subtract = (segments: SegmentCounts, invalid: SegmentCounts): SegmentCounts =>
  Object.fromEntries(
    Object.entries(segments).map(([segment, n]) => [segment, n - (invalid[segment] ?? 0)]),
  );

/** The first page needs no counts, so it is read while they are made. */
const readFirstValid = async (
  view: ListView,
  counting: Promise<InvalidMembers>,
  { condition, page }: { readonly condition: Query; readonly page: Page },
): Promise<FoundMembers> => {
  const [{ total }, documents] = await Promise.all([counting, read(view, condition, page)]);
  return { documents, total: view.list.memberCount - total };
};

const readValid = async (
  view: ListView,
  { validAt, page }: { readonly validAt: Date; readonly page: Page },
  countInvalid: CountInvalidMembers,
): Promise<FoundMembers> => {
  const condition = { from: { $lte: validAt }, until: { $gt: validAt } };
  const counting = countInvalid(view, validAt);
  if (page.offset === 0) return readFirstValid(view, counting, { condition, page });
  const { total, bySegment } = await counting;
  const { [SEGMENTS]: segments, memberCount } = view.list;
  return readFrom(
    view,
    { segments: subtract(segments, bySegment), total: memberCount - total, condition },
    page,
  );
};

export type ReadSmsMemberPage = (
  tenantId: TenantId,
  id: SmsListId,
  query: SmsMemberConditions & Page,
) => Promise<SmsMemberPage | undefined>;

/** Reads a page of the members of a list and their total from one snapshot. */
export const createSmsMemberPages = (
  collections: Collections,
  limits: SearchLimits,
): ReadSmsMemberPage => {
  const countInvalid = createInvalidMemberCounter(limits);
  return (tenantId, id, { validAt, offset, limit }) =>
    collections.client.withSession({ snapshot: true }, async (session) => {
      const list = await collections.smsLists.findOne({ _id: id, tenant: tenantId }, { session });
      if (!list) return undefined;
      const view = { collections, session, list };
      const page = { offset, limit };
      const { documents, total } = validAt
        ? await readValid(view, { validAt, page }, countInvalid)
        : await readAll(view, page);
      return {
        list: fromSmsListFields(list),
        members: documents.map(fromSmsMemberDocument),
        total,
      };
    });
};

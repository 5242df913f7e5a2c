import type * as mongo from 'mongodb';
import type { Page } from '../../ports/entity-reader.js';
import type { SmsListConditions, SmsListReader } from '../../ports/sms-lists.js';
import type { SmsList } from '../../domain/sms/sms-list.js';
import type { SmsListId, TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import {
  smsListCodec,
  fromSmsMemberDocument,
  type SmsMemberDocument,
  SMS_LIST_PROJECTION,
  type SmsListDocument,
} from '../tables/sms-lists.js';
import { type SearchLimits, createSearchLimits } from './search-limits.js';
import { findInSegments, type SegmentCounts, SEGMENTS, SMS_SEGMENT } from '../tables/segments.js';
import {
  type CountInvalidMembers,
  createInvalidMemberCounter,
  type ListView,
  type InvalidMembers,
} from './invalid-sms-members.js';
import { readDocuments } from '../read-documents.js';
import { guarded } from '../database-errors.js';
import { mongoEntityReader } from './entity-reader.js';
import { readCounter } from './tenant-readers.js';

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

/** Reads a page of the members of a list and their total from one snapshot. */
const createSmsMemberPages = (
  collections: Collections,
  limits: SearchLimits,
): SmsListReader['memberPage'] => {
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
        list: smsListCodec.fromDocument(list),
        members: documents.map(fromSmsMemberDocument),
        total,
      };
    });
};

const conditionsOf = ({
  externalId,
  validAt,
}: SmsListConditions): mongo.Filter<SmsListDocument> => ({
  ...(externalId !== undefined && { externalId }),
  ...(validAt && {
    $and: [
      { $or: [{ validFrom: null }, { validFrom: { $lte: validAt } }] },
      { $or: [{ validUntil: null }, { validUntil: { $gt: validAt } }] },
    ],
  }),
});

/** Reads of SMS lists and their members, within one tenant except for `findEnded`. */
export const mongoSmsListReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
): SmsListReader => {
  const { smsLists, smsMembers } = collections;
  const count = (tenantId: TenantId) => readCounter(collections, tenantId, 'smsListCount');
  const readLists = (bounds: { readonly maxTimeMS?: number } = {}) =>
    mongoEntityReader<SmsListId, SmsList, SmsListDocument, SmsListConditions>({
      ...{ collection: smsLists, projection: SMS_LIST_PROJECTION, conditionsOf, count },
      present: (documents) => documents.map(smsListCodec.fromDocument),
      ...bounds,
    });
  return guarded<SmsListReader>({
    find: readLists().find,
    page: (tenantId, query) =>
      limits.run(
        {
          tenantId,
          cost: query.validAt && query.externalId === undefined ? 'scan' : 'point',
          size: () => count(tenantId),
          resourceName: 'lists',
          indexed: 'external_id',
        },
        ({ left }) => readLists({ maxTimeMS: left() }).page(tenantId, query),
      ),
    memberPage: createSmsMemberPages(collections, limits),
    findEnded: async (by, passedOver) => {
      const [found] = await smsMembers
        .find(
          { ends: { $lte: by }, list: { $nin: passedOver } },
          { projection: { tenant: 1, list: 1 } },
        )
        .sort({ ends: 1 })
        .limit(1)
        .toArray();
      return found && { tenantId: found.tenant as TenantId, listId: found.list as SmsListId };
    },
  });
};

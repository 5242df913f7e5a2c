import type { mongo } from 'mongoose';
import type { SmsListConditions, SmsListReader } from '../api/sms-lists.js';
import type { SmsListId, TenantId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import type { Collections } from './collections.js';
import { fromSmsListDocument } from './sms-document.js';
import type { SmsListDocument } from './sms-documents.js';
import { createSmsMemberPages } from './sms-member-page.js';

/** A count stops here, in milliseconds. */
const MOST_TIME = 5_000;

const conditionsOf = (
  tenantId: TenantId,
  { externalId, validAt }: SmsListConditions,
): mongo.Filter<SmsListDocument> => ({
  tenant: tenantId,
  ...(externalId !== undefined && { externalId }),
  ...(validAt && {
    $and: [
      { $or: [{ validFrom: null }, { validFrom: { $lte: validAt } }] },
      { $or: [{ validUntil: null }, { validUntil: { $gt: validAt } }] },
    ],
  }),
});

/** Reads of SMS lists and their members, within one tenant but for the search of what has ended. */
export const mongoSmsListReader = (collections: Collections): SmsListReader => {
  const { smsLists, smsMembers, tenantState } = collections;
  const readMembers = createSmsMemberPages(collections);

  const count = async (tenantId: TenantId, conditions: SmsListConditions): Promise<number> => {
    if (conditions.externalId === undefined && conditions.validAt === undefined) {
      const projection = { smsListCount: 1 };
      return (await tenantState.findOne({ _id: tenantId }, { projection }))?.smsListCount ?? 0;
    }
    return smsLists.countDocuments(conditionsOf(tenantId, conditions), { maxTimeMS: MOST_TIME });
  };

  return {
    find: (tenantId, id) =>
      reading(async () => {
        const found = await smsLists.findOne(
          { _id: id, tenant: tenantId },
          { projection: { stretches: 0 } },
        );
        return found ? fromSmsListDocument(found) : undefined;
      }),
    page: (tenantId, { offset, limit, ...conditions }) =>
      reading(async () => {
        const [total, found] = await Promise.all([
          count(tenantId, conditions),
          smsLists
            .find(conditionsOf(tenantId, conditions), {
              projection: { stretches: 0 },
              maxTimeMS: MOST_TIME,
              batchSize: limit + 1,
            })
            .sort({ createdAt: 1, _id: 1 })
            .skip(offset)
            .limit(limit)
            .toArray(),
        ]);
        return { lists: found.map(fromSmsListDocument), total };
      }),
    memberPage: (tenantId, id, query) => reading(() => readMembers(tenantId, id, query)),
    findEnded: (by, passedOver) =>
      reading(async () => {
        const [found] = await smsMembers
          .find(
            { ends: { $lte: by }, list: { $nin: passedOver } },
            { projection: { tenant: 1, list: 1 } },
          )
          .sort({ ends: 1 })
          .limit(1)
          .toArray();
        return found && { tenantId: found.tenant as TenantId, listId: found.list as SmsListId };
      }),
  };
};

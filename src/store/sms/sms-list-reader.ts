import type { mongo } from 'mongoose';
import type { SmsListConditions, SmsListReader } from '../../api/sms-lists.js';
import type { SmsListId, TenantId } from '../../domain/kernel/ids.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { fromSmsListFields, SMS_LIST_PROJECTION } from '../tables/sms-lists.js';
import type { SmsListDocument } from '../tables/sms-lists.js';
import type { Page } from '../../api/tenants.js';
import { createSearchLimits, type SearchLimits, type TimeBudget } from '../read/search-limits.js';
import { readCounter } from '../read/tenant-counter.js';
import { createSmsMemberPages } from './sms-member-page.js';

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

/** Reads of SMS lists and their members, within one tenant except for `findEnded`. */
export const mongoSmsListReader = (
  collections: Collections,
  limits: SearchLimits = createSearchLimits(),
): SmsListReader => {
  const { smsLists, smsMembers } = collections;
  const readMembers = createSmsMemberPages(collections, limits);

  const countAll = (tenantId: TenantId) => readCounter(collections, tenantId, 'smsListCount');

  const readPage = async (
    tenantId: TenantId,
    { offset, limit, ...conditions }: SmsListConditions & Page,
    budget: TimeBudget,
  ): ReturnType<SmsListReader['page']> => {
    const isWhole = conditions.externalId === undefined && conditions.validAt === undefined;
    const query = conditionsOf(tenantId, conditions);
    const maxTimeMS = budget.left();
    const [total, found] = await Promise.all([
      isWhole ? countAll(tenantId) : smsLists.countDocuments(query, { maxTimeMS }),
      smsLists
        .find(query, { projection: SMS_LIST_PROJECTION, maxTimeMS, batchSize: limit + 1 })
        .sort({ createdAt: 1, _id: 1 })
        .skip(offset)
        .limit(limit)
        .toArray(),
    ]);
    return { lists: found.map(fromSmsListFields), total };
  };

  return {
    find: (tenantId, id) =>
      guardRead(async () => {
        const found = await smsLists.findOne(
          { _id: id, tenant: tenantId },
          { projection: SMS_LIST_PROJECTION },
        );
        return found ? fromSmsListFields(found) : undefined;
      }),
    page: (tenantId, query) =>
      guardRead(() =>
        limits.run(
          {
            tenantId,
            cost: query.validAt && query.externalId === undefined ? 'scan' : 'point',
            size: () => countAll(tenantId),
            resourceName: 'lists',
            indexed: 'external_id',
          },
          (budget) => readPage(tenantId, query, budget),
        ),
      ),
    memberPage: (tenantId, id, query) => guardRead(() => readMembers(tenantId, id, query)),
    findEnded: (by, passedOver) =>
      guardRead(async () => {
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

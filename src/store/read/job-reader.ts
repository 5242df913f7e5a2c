import type * as mongo from 'mongodb';
import type { JobQuery, JobReader } from '../../ports/tenants.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import type { JobDocument } from '../tables/jobs.js';
import { fromJobDocument } from '../tables/jobs.js';

/** Time limit of counting many jobs. */
const MAX_TIME_MS = 5_000;

export const mongoJobReader = ({ jobs }: Collections): JobReader => ({
  find: (tenantId, id) =>
    guardRead(async () => {
      const found = await jobs.findOne({ _id: id, tenant: tenantId });
      return found ? fromJobDocument(found) : undefined;
    }),
  findByIds: (tenantId, ids) =>
    guardRead(async () => {
      const found = await jobs.find({ _id: { $in: [...ids] }, tenant: tenantId }).toArray();
      return found.map(fromJobDocument);
    }),
  page: (tenantId, query) =>
    guardRead(async () => {
      const conditions = conditionsOf(tenantId, query);
      const [total, found] = await Promise.all([
        jobs.countDocuments(conditions, { maxTimeMS: MAX_TIME_MS }),
        jobs
          .find(conditions, { maxTimeMS: MAX_TIME_MS })
          .sort({ createdAt: -1, _id: 1 })
          .skip(query.offset)
          .limit(query.limit)
          .toArray(),
      ]);
      return { jobs: found.map(fromJobDocument), total };
    }),
});

const conditionsOf = (tenantId: TenantId, { isFinished }: JobQuery): mongo.Filter<JobDocument> => ({
  tenant: tenantId,
  ...(isFinished === undefined ? {} : { finishedAt: isFinished ? { $ne: null } : { $eq: null } }),
});

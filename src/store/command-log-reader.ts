import type { mongo } from 'mongoose';
import type { CommandLogQuery, CommandLogReader } from '../api/command-log.js';
import type { TenantId } from '../domain/ids.js';
import { reading } from './classify-error.js';
import type { Collections } from './collections.js';
import { fromCommandLogDocument } from './command-log-document.js';
import type { CommandLogDocument } from './documents.js';

/** A count over a long log stops here, in milliseconds. */
const MOST_TIME = 5_000;

/** Reads of the provisioning log, newest first. */
export const mongoCommandLogReader = ({ commandLog }: Collections): CommandLogReader => ({
  page: (tenantId, query) =>
    reading(async () => {
      const conditions = conditionsOf(tenantId, query);
      const [total, found] = await Promise.all([
        commandLog.countDocuments(conditions, { maxTimeMS: MOST_TIME }),
        commandLog
          .find(conditions, { maxTimeMS: MOST_TIME })
          .sort({ at: -1, _id: -1 })
          .skip(query.offset)
          .limit(query.limit)
          .toArray(),
      ]);
      return { entries: found.map(fromCommandLogDocument), total };
    }),
});

const conditionsOf = (
  tenantId: TenantId,
  { type, outcome, source, target, since, until }: CommandLogQuery,
): mongo.Filter<CommandLogDocument> => ({
  tenant: tenantId,
  ...(type === undefined ? {} : { type }),
  ...(outcome === undefined ? {} : { outcome }),
  ...(source === undefined ? {} : { source }),
  ...(target === undefined ? {} : { target }),
  ...(since === undefined && until === undefined
    ? {}
    : { at: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
});

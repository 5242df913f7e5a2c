import type { OperatorLog } from '../ports/operator-log.js';
import { MAJORITY_WRITE } from './concerns.js';
import { guarded } from './database-errors.js';
import type { Collections } from './tables/collections.js';
import { operatorLogCodec } from './tables/operator-log.js';

/** The operators' log in MongoDB, which deletes its entries after `keepMs`. */
export const mongoOperatorLog = (
  { operatorLog }: Pick<Collections, 'operatorLog'>,
  keepMs: number,
): OperatorLog =>
  guarded<OperatorLog>({
    append: async (entry) => {
      await operatorLog.insertOne(operatorLogCodec.toDocument(entry, keepMs), MAJORITY_WRITE);
    },
    page: ({ operator, before, limit }) =>
      operatorLog
        .find({
          ...(operator !== undefined && { operators: operator }),
          ...(before && {
            at: { $lte: before.at },
            $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }],
          }),
        })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        .map(operatorLogCodec.fromDocument)
        .toArray(),
  });

import type { OperatorLog } from '../ports/operator-log.js';
import { MAJORITY_WRITE } from './concerns.js';
import { guardRead } from './database-errors.js';
import type { Collections } from './tables/collections.js';

/** The operators' log in MongoDB, which deletes its entries after `keepMs`. */
export const mongoOperatorLog = (
  { operatorLog }: Pick<Collections, 'operatorLog'>,
  keepMs: number,
): OperatorLog => ({
  append: ({ id, ...entry }) =>
    guardRead(async () => {
      const { actor, subject, at } = entry;
      await operatorLog.insertOne(
        {
          _id: id,
          ...entry,
          operators: [...new Set([actor.id, subject])].filter((one) => one !== null),
          expireAt: new Date(at.getTime() + keepMs),
        },
        MAJORITY_WRITE,
      );
    }),
  page: ({ operator, before, limit }) =>
    guardRead(async () => {
      const found = await operatorLog
        .find({
          ...(operator !== undefined && { operators: operator }),
          ...(before && {
            at: { $lte: before.at },
            $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }],
          }),
        })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, operators: _operators, expireAt: _expireAt, ...entry }) => ({
        id: _id,
        ...entry,
      }));
    }),
});

import { outbox } from '../tables/outbox.js';
import type { InspectedDatabase } from './inspect-database.js';

export interface OutboxAge {
  /** Pending deliveries. */
  readonly pending: number;
  /** How long the most overdue of them has been due, by the database's clock; 0 if none is. */
  readonly overdueMs: number;
}

/** Counting millions is not worth the server's time. */
const TIMEOUT_MS = 5_000;

/** Without a hint, so that it also works if an index is missing. */
export const readOutbox = async ({ database }: InspectedDatabase): Promise<OutboxAge> => {
  const [found] = await outbox
    .in(database)
    .aggregate<OutboxAge>(
      [
        { $match: { st: 'p' } },
        {
          $group: {
            _id: null,
            pending: { $sum: { $ifNull: ['$left', 1] } },
            due: { $min: '$due' },
          },
        },
        { $project: { pending: 1, overdueMs: { $max: [0, { $subtract: ['$$NOW', '$due'] }] } } },
      ],
      { maxTimeMS: TIMEOUT_MS },
    )
    .toArray();
  return { pending: found?.pending ?? 0, overdueMs: found?.overdueMs ?? 0 };
};

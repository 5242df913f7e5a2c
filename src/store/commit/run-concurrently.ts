import { rootCause } from '../database-errors.js';

/**
 * Sends statements of one transaction without waiting for each other's answers. The server carries
 * them out one after the other, in whatever order: each has to check out the session first, and a
 * statement that finds it taken waits (mongod and mongos alike). So it is sound once the first
 * statement has begun the transaction, for statements of which none needs another's effect, and if
 * none is under way any more when the transaction is committed or aborted.
 */
export const runConcurrently = async (statements: readonly Promise<void>[]): Promise<void> => {
  const ended = await Promise.allSettled(statements);
  const errors = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (errors.length > 0) throw rootCause(errors);
};

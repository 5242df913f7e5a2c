import { rootCause } from '../database-errors.js';

/**
 * Sends statements of one transaction without waiting for each other's responses. The server runs
 * them one at a time, in any order: each has to check out the session, and waits while it is in use
 * (mongod and mongos alike). This is correct once the first statement has started the transaction,
 * for statements that do not depend on each other, and if all have ended before the transaction is
 * committed or aborted.
 */
export const runConcurrently = async (statements: readonly Promise<void>[]): Promise<void> => {
  const ended = await Promise.allSettled(statements);
  const errors = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (errors.length > 0) throw rootCause(errors);
};

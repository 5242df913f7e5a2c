import { mongo } from 'mongoose';
import { ask, type InspectedDatabase } from './inspect-database.js';

const UNAUTHORIZED = 13;

/** Seconds until the server aborts an open transaction; undefined if this user may not read it. */
export const readTransactionLimit = async (
  inspected: InspectedDatabase,
): Promise<number | undefined> => {
  try {
    const command = { getParameter: 1, transactionLifetimeLimitSeconds: 1 };
    return Number((await ask(inspected, command)).transactionLifetimeLimitSeconds);
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED) return undefined;
    throw error;
  }
};

import { mongo } from 'mongoose';
import { ask, type InspectedDatabase } from './inspect-database.js';

const UNAUTHORIZED = 13;

/** Seconds that an open transaction may live; undefined where this user may not ask. */
export const readTransactionLimit = async (
  inspected: InspectedDatabase,
): Promise<number | undefined> => {
  try {
    const asked = { getParameter: 1, transactionLifetimeLimitSeconds: 1 };
    return Number((await ask(inspected, asked)).transactionLifetimeLimitSeconds);
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED) return undefined;
    throw error;
  }
};

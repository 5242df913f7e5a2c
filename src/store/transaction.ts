import type { mongo } from 'mongoose';
import type { SessionPool } from './commit/session-pool.js';

const SURE = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
} as const;

/** Runs the work in a transaction, again after a conflict: the driver's own loop. */
export const inTransaction = <Result>(
  sessions: SessionPool,
  work: (session: mongo.ClientSession) => Promise<Result>,
): Promise<Result> => sessions.use((session) => session.withTransaction(work, SURE));

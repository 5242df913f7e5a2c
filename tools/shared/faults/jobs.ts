import type mongoose from 'mongoose';
import { waitUntil } from '../wait-until.js';

interface StoredJob {
  readonly _id: string;
  readonly done: number;
  readonly total: number;
  readonly finishedAt: Date | null;
}

const WAIT = { pollMs: 20, timeoutMs: 300_000 };

/** The progress of a tenant's jobs, read from the database. */
export const watchJobs = (database: mongoose.mongo.Db, tenant: string) => {
  const jobs = database.collection<StoredJob>('jobs');

  const waitFor = (condition: (open: readonly StoredJob[]) => boolean): Promise<void> =>
    waitUntil(
      async () => condition(await jobs.find({ tenant, finishedAt: null } as object).toArray()),
      () => 'A job did not finish within five minutes.',
      WAIT,
    );
  return {
    /** Resolves when the job that a request started is more than half done, or the request is. */
    halfway: (request: Promise<unknown>): Promise<void> => {
      let isSettled = false;
      const settle = (): void => void (isSettled = true);
      request.then(settle, settle);
      return waitFor(
        (open) =>
          isSettled || (open.length > 0 && open.every(({ done, total }) => done > total / 2)),
      );
    },
    finished: (): Promise<void> => waitFor((open) => open.length === 0),
  };
};

import { setTimeout as pause } from 'node:timers/promises';
import type mongoose from 'mongoose';

interface StoredJob {
  readonly _id: string;
  readonly done: number;
  readonly total: number;
  readonly finishedAt: Date | null;
}

const LONGEST_MS = 300_000;

/** How far the jobs of a tenant are, read past the gateway. */
export const watchJobs = (database: mongoose.mongo.Db, tenant: string) => {
  const jobs = database.collection<StoredJob>('jobs');
  const ofTenant = { tenant } as object;

  const until = async (isSo: (open: readonly StoredJob[]) => boolean): Promise<void> => {
    const latest = performance.now() + LONGEST_MS;
    while (performance.now() < latest) {
      if (isSo(await jobs.find({ ...ofTenant, finishedAt: null }).toArray())) return;
      await pause(20);
    }
    throw new Error('The job does not come to an end.');
  };

  return {
    /** Resolves while the job that a request begins is in its middle, or when that is answered. */
    halfway: (request: Promise<unknown>) => {
      let isAnswered = false;
      const note = (): void => void (isAnswered = true);
      request.then(note, note);
      return until(
        (open) =>
          isAnswered || (open.length > 0 && open.every(({ done, total }) => done > total / 2)),
      );
    },
    settled: () => until((open) => open.length === 0),
  };
};

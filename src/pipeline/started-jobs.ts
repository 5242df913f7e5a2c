import { isRefused, type Verdict } from '../domain/decide/decider.js';
import type { Job, JobProgress } from '../domain/job.js';

/** The jobs that come to be by a verdict: the rest of changes that were too large for a commit. */
export const startedJobs = (verdict: Verdict<unknown>): readonly Job[] =>
  isRefused(verdict)
    ? []
    : verdict.changes.flatMap(({ table, before, after }) =>
        table === 'jobs' && !before && after ? [after] : [],
      );

/** What a response waits for: jobs that come to be by a verdict, and those that begin anew by it. */
export const awaitedJobs = (verdict: Verdict<unknown>): readonly JobProgress[] => {
  if (isRefused(verdict)) return [];
  const jobs = new Map<string, JobProgress>();
  for (const { table, after } of verdict.changes)
    if (table === 'jobs' && after?.finishedAt === null) jobs.set(after.id, progressOf(after));
  for (const job of verdict.begun ?? []) jobs.set(job.id, job);
  return [...jobs.values()];
};

const progressOf = ({ id, done, total }: Job): JobProgress => ({ id, done, total });

import { isRefused, type Verdict } from '../domain/decide/decider.js';
import type { Job, JobProgress } from '../domain/job.js';

/** The jobs that a decision creates, for changes that are too large for one commit. */
export const startedJobs = (verdict: Verdict<unknown>): readonly Job[] =>
  isRefused(verdict)
    ? []
    : verdict.changes.flatMap(({ table, before, after }) =>
        table === 'jobs' && !before && after ? [after] : [],
      );

/** The jobs that a response waits for: those that a decision creates or restarts. */
export const awaitedJobs = (verdict: Verdict<unknown>): readonly JobProgress[] => {
  if (isRefused(verdict)) return [];
  const jobs = new Map<string, JobProgress>();
  for (const { table, after } of verdict.changes)
    if (table === 'jobs' && after?.finishedAt === null) jobs.set(after.id, progressOf(after));
  for (const job of verdict.begun ?? []) jobs.set(job.id, job);
  return [...jobs.values()];
};

const progressOf = ({ id, done, total }: Job): JobProgress => ({ id, done, total });

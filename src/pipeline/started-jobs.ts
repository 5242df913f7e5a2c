import { isRefused, type Decision } from '../domain/kernel/decider.js';
import type { Job, JobProgress } from '../domain/job/job.js';

/** The jobs that a decision creates, for changes that are too large for one commit. */
export const startedJobs = (decision: Decision<unknown>): readonly Job[] =>
  isRefused(decision)
    ? []
    : decision.changes.flatMap(({ table, before, after }) =>
        table === 'jobs' && !before && after ? [after] : [],
      );

/** The jobs that a response waits for: those that a decision creates or restarts. */
export const awaitedJobs = (decision: Decision<unknown>): readonly JobProgress[] => {
  if (isRefused(decision)) return [];
  const jobs = new Map<string, JobProgress>();
  for (const { table, after } of decision.changes)
    if (table === 'jobs' && after?.finishedAt === null) jobs.set(after.id, progressOf(after));
  for (const job of decision.jobs ?? []) jobs.set(job.id, job);
  return [...jobs.values()];
};

const progressOf = ({ id, done, total }: Job): JobProgress => ({ id, done, total });

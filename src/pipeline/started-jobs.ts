import { isRefused, type Verdict } from '../domain/decide/decider.js';
import type { Job } from '../domain/job.js';

/** The jobs that come to be by a verdict: the rest of changes that were too large for a commit. */
export const startedJobs = (verdict: Verdict<unknown>): readonly Job[] =>
  isRefused(verdict)
    ? []
    : verdict.changes.flatMap(({ table, before, after }) =>
        table === 'jobs' && !before && after ? [after] : [],
      );

import type { JobWaiting } from '../../src/http/wait-for-jobs.js';

/** For an edge over a world in which no job takes any time. */
export const NO_WAITING: JobWaiting = {
  awaitJobs: () => Promise.resolve(undefined),
  leaving: new AbortController().signal,
};

import type { JobProgress } from '../domain/job/job.js';
import type { AwaitJobs } from '../pipeline/jobs.js';
import type { Submit } from '../pipeline/submit.js';

/** How responses wait for the jobs that their commands start. */
export interface JobWaitOptions {
  readonly awaitJobs: AwaitJobs;
  /** Aborted when the gateway drains or stops; ends all waits. */
  readonly drainSignal: AbortSignal;
}

/** What the response reports about the command of its request. */
export interface CommandStatus {
  /** The first of its jobs that is not done; absent if all are. */
  readonly job?: JobProgress;
  /** The outcome of an earlier request with the same Idempotency-Key. */
  readonly isReplay?: boolean;
}

/**
 * Wraps `submit` so that it resolves when the jobs of the command are done, or after the maximum
 * wait, or when the signal aborts. It waits after the commit, so the tenant's other commands are not blocked (decisions.md 3).
 */
export const submitAndWait = (
  submit: Submit,
  awaitJobs: AwaitJobs,
  signal: () => AbortSignal,
): { readonly submit: Submit; readonly status: () => CommandStatus } => {
  let status: CommandStatus = {};
  return {
    submit: async (submission) => {
      const outcome = await submit(submission);
      if (!outcome.ok) return outcome;
      if (outcome.isReplay) status = { isReplay: true };
      if (outcome.jobs) {
        const job = await awaitJobs(submission.tenantId, outcome.jobs, signal());
        if (job) status = { ...status, job };
      }
      return outcome;
    },
    status: () => status,
  };
};

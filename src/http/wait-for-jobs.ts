import type { Response } from 'express';
import type { JobProgress } from '../domain/job.js';
import type { AwaitJobs } from '../pipeline/job-waits.js';
import type { Submit } from '../pipeline/submit.js';

/** How responses wait for the jobs that their commands begin. */
export interface JobWaiting {
  readonly awaitJobs: AwaitJobs;
  /** Aborts when the gateway drains or stops: then clients that wait are answered at once. */
  readonly leaving: AbortSignal;
}

/** What of a request's command the response has to say in its status and headers. */
export interface Aftermath {
  /** The first of its jobs that is not done; absent: all of it is done. */
  readonly job?: JobProgress;
  /** The first answer to an Idempotency-Key comes again. */
  readonly isReplay?: boolean;
}

/** Aborts when the client is gone or the gateway leaves; `end` lets go of both. */
export const untilOneLeaves = (
  response: Response,
  leaving: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } => {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (leaving.aborted || response.destroyed) abort();
  leaving.addEventListener('abort', abort);
  response.once('close', abort);
  return {
    signal: controller.signal,
    end: () => {
      leaving.removeEventListener('abort', abort);
      response.off('close', abort);
    },
  };
};

/**
 * Submits as `submit` does, and resolves when the jobs that the command began are done, or have
 * taken too long: after the commit, so that no command in the lane waits for it (decisions.md 3).
 */
export const submitAndWait = (
  submit: Submit,
  { awaitJobs, leaving }: JobWaiting,
  response: Response,
): { readonly submit: Submit; readonly aftermath: () => Aftermath } => {
  let aftermath: Aftermath = {};
  return {
    submit: async (submission) => {
      const outcome = await submit(submission);
      if (!outcome.ok) return outcome;
      if (outcome.isReplay) aftermath = { isReplay: true };
      if (outcome.jobs) {
        const wait = untilOneLeaves(response, leaving);
        const job = await awaitJobs(submission.tenantId, outcome.jobs, wait.signal);
        wait.end();
        if (job) aftermath = { ...aftermath, job };
      }
      return outcome;
    },
    aftermath: () => aftermath,
  };
};

import { firstValueFrom, timer } from 'rxjs';
import type { Job } from '../domain/job/job.js';
import type { CommitStore } from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';
import type { Submit } from './submit.js';

export interface JobRunnerParts {
  readonly submit: Submit;
  readonly store: Pick<CommitStore, 'findAbandonedJobs'>;
  readonly log: PipelineLog;
  readonly isStopping: () => boolean;
  /** Called with the job after each step. */
  readonly onStep: (job: Job) => void;
}

export interface JobRunner {
  /** Runs a job until it is done. Does nothing if it is already running here. */
  readonly run: (job: Job) => void;
  readonly resumeAbandoned: () => Promise<void>;
  /** Resolves when no step is running; other instances run the rest of the jobs. */
  readonly ended: () => Promise<void>;
}

/** After a failed step, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Runs jobs step by step in the lane of their tenant. Between two steps the lane runs whatever else
 * has arrived, so a job neither blocks other commands nor starves (pipeline-rules.md 9). Two
 * instances may run the same job: each step reads the cursor from the database.
 */
export const createJobRunner = ({
  submit,
  store,
  log,
  isStopping,
  onStep,
}: JobRunnerParts): JobRunner => {
  const running = new Map<string, Promise<void>>();

  const step = async ({ tenantId, id, requestId }: Job): Promise<'more' | 'done' | 'failed'> => {
    const outcome = await submit<'job.step'>({
      tenantId,
      command: { type: 'job.step', jobId: id },
      actor: { kind: 'system', name: 'jobs' },
      source: 'system',
      requestId,
    });
    if (!outcome.ok) return 'failed';
    if (outcome.result) onStep(outcome.result);
    return outcome.result === null || outcome.result.finishedAt !== null ? 'done' : 'more';
  };

  const runAll = async (job: Job): Promise<void> => {
    while (!isStopping()) {
      const result = await step(job);
      if (result === 'done') return;
      if (result === 'failed' && !isStopping()) {
        log.warn({ job: job.id, tenant: job.tenantId }, 'a job step failed; retrying');
        await firstValueFrom(timer(RETRY_MS));
      }
    }
  };

  const run = (job: Job): void => {
    if (running.has(job.id)) return;
    const work = runAll(job)
      .catch((error: unknown) => log.error({ err: error, job: job.id }, 'a job stopped'))
      .finally(() => running.delete(job.id));
    running.set(job.id, work);
  };

  return {
    run,
    resumeAbandoned: async () => (await store.findAbandonedJobs()).forEach(run),
    ended: async () => {
      await Promise.all(running.values());
    },
  };
};

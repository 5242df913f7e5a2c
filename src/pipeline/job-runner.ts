import { firstValueFrom, timer } from 'rxjs';
import type { Job } from '../domain/job.js';
import type { CommitStore } from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';
import type { Submit } from './submit.js';

export interface JobRunnerParts {
  readonly submit: Submit;
  readonly store: Pick<CommitStore, 'findAbandonedJobs'>;
  readonly log: PipelineLog;
  readonly isStopping: () => boolean;
  /** Called with the job as each step leaves it. */
  readonly stepped: (job: Job) => void;
}

export interface JobRunner {
  /** Goes on with a job until it is done; one that runs here already is left alone. */
  readonly run: (job: Job) => void;
  /** Runs jobs whose gateway is gone. */
  readonly takeUp: () => Promise<void>;
  /** Resolves when no step is under way; the rest of the jobs is another gateway's. */
  readonly ended: () => Promise<void>;
}

/** After a step that failed, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Steps jobs through the lane of their tenant, one step after the other: between two of them the
 * lane takes whatever else has arrived, so a job neither holds others up nor starves
 * (pipeline-rules.md 9). Two gateways that step the same job do no harm: each step takes the cursor
 * from the database.
 */
export const createJobRunner = ({
  submit,
  store,
  log,
  isStopping,
  stepped,
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
    if (outcome.result) stepped(outcome.result);
    return outcome.result === null || outcome.result.finishedAt !== null ? 'done' : 'more';
  };

  const runAll = async (job: Job): Promise<void> => {
    while (!isStopping()) {
      const ended = await step(job);
      if (ended === 'done') return;
      if (ended === 'failed' && !isStopping()) {
        log.warn({ job: job.id, tenant: job.tenantId }, 'a step of a job failed; trying again');
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
    takeUp: async () => (await store.findAbandonedJobs()).forEach(run),
    ended: async () => {
      await Promise.all(running.values());
    },
  };
};

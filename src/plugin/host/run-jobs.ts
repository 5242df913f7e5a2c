import { randomUUID } from 'node:crypto';
import {
  type JobUpdate,
  LeaseLost,
  type PluginJob,
  type PluginJobStore,
} from '../../ports/plugin-storage.js';
import type { JobKind } from '../contract/contract.js';
import { type HeldLease, holdLease, type LeaseParts, pause } from './run-timers.js';
import type { PluginJobs } from '../contract/host.js';

export interface JobParts extends LeaseParts {
  readonly jobs: PluginJobStore;
}

/** The jobs of one plugin in this instance. */
export interface RunningJobs {
  readonly host: PluginJobs;
  /** Starts running jobs of these kinds; none run without it. */
  readonly run: (kinds: Readonly<Record<string, JobKind>>) => void;
  /** Resolves when no step is in progress. Call it after the signal has aborted. */
  readonly ended: () => Promise<void>;
}

/** How often due jobs are looked for, in milliseconds. */
const POLL_MS = 1_000;
/** Jobs of one plugin that run at once in this instance. */
const MAX_RUNNING = 4;
const MAX_FAILURES = 8;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

export const createJobs = (plugin: string, parts: JobParts): RunningJobs => {
  const { jobs, stopping, log } = parts;
  const running = new Map<string, Promise<void>>();
  let kinds: Readonly<Record<string, JobKind>> = {};
  let polling: Promise<void> | undefined;

  const requireKind = (kind: string): void => {
    if (!Object.hasOwn(kinds, kind)) throw new Error(`The plugin has no kind of job "${kind}".`);
  };

  const start = (job: PluginJob): void => {
    const work = runJob({ plugin, job, kinds }, parts)
      .catch((error: unknown) => log.warn({ err: error, job: job.id }, 'a job was interrupted'))
      .finally(() => running.delete(job.id));
    running.set(job.id, work);
  };

  const startDue = async (): Promise<void> => {
    const free = MAX_RUNNING - running.size;
    if (free <= 0) return;
    const found = await jobs.due(plugin, Object.keys(kinds), MAX_RUNNING + free);
    for (const job of found.filter(({ id }) => !running.has(id)).slice(0, free)) start(job);
  };

  const poll = async (): Promise<void> => {
    while (!stopping.aborted) {
      await startDue().catch((error: unknown) => {
        log.warn({ err: error }, 'jobs could not be read; trying again');
      });
      await pause(POLL_MS, parts);
    }
  };

  return {
    host: {
      start: async ({ id = randomUUID(), ...request }) => {
        requireKind(request.kind);
        return jobs.start(plugin, { ...request, id });
      },
      find: (id) => jobs.find(plugin, id),
      list: (query = {}) => jobs.list(plugin, query),
      cancel: (id) => jobs.cancel(plugin, id),
    },
    run: (given) => {
      kinds = given;
      if (Object.keys(kinds).length > 0) polling ??= poll();
    },
    ended: async () => {
      await polling;
      await Promise.all(running.values());
    },
  };
};

interface Run {
  readonly plugin: string;
  readonly job: PluginJob;
  readonly kinds: Readonly<Record<string, JobKind>>;
}

/** Runs a job's steps until it ends, fails or is lost; nothing if another instance runs it. */
const runJob = async (
  { plugin, job: { id, kind: name }, kinds }: Run,
  parts: JobParts,
): Promise<void> => {
  const kind = kinds[name];
  if (!kind) return;
  await holdLease(parts, { lease: `job:${plugin}:${id}` }, async (held) => {
    // Another instance may have run it since it was found.
    let current = await parts.jobs.find(plugin, id);
    while (current?.state === 'running' && !held.signal.aborted) {
      const update = await stepOf(kind, current, held);
      // Not the step's fault: another instance repeats it.
      if (update.kind === 'failed' && isOver(held)) return;
      current = await store(plugin, current, { update, held, parts });
      if (update.kind === 'failed') return;
    }
  });
};

const isOver = ({ signal }: HeldLease): boolean => signal.aborted;

const store = async (
  plugin: string,
  { id }: PluginJob,
  {
    update,
    held,
    parts,
  }: { readonly update: JobUpdate; readonly held: HeldLease; readonly parts: JobParts },
): Promise<PluginJob | undefined> => {
  try {
    if (update.kind === 'failed')
      parts.log.warn(
        { job: id, reason: update.error, retryInMs: update.retryInMs },
        'a step of a job failed',
      );
    return await parts.jobs.update(plugin, id, { update, fence: held.fence });
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    throw error;
  }
};

const stepOf = async (
  { step }: JobKind,
  { id, tenantId, input, checkpoint, failures }: PluginJob,
  { signal, fence }: HeldLease,
): Promise<JobUpdate> => {
  try {
    const result = await step({ jobId: id, tenantId, input, checkpoint, signal, fence });
    return { kind: 'advanced', ...result };
  } catch (error) {
    const isLast = failures + 1 >= MAX_FAILURES;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
    return {
      kind: 'failed',
      error: error instanceof Error ? error.message : String(error),
      retryInMs: isLast ? null : pauseMs,
    };
  }
};

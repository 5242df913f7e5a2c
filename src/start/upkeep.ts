import type { Logger } from 'pino';
import type { Pipeline } from '../pipeline/pipeline.js';
import { runRegularly } from '../process/timers.js';
import { startSmsSweeps } from '../sms/sweep-sms-members.js';
import type { Store } from '../store/open-store.js';
import type { ShutdownStack } from './shutdown-stack.js';

interface UpkeepParts {
  readonly store: Store;
  readonly pipeline: Pipeline;
  /** How long a number is kept after the end of its validity, in milliseconds; null: for ever. */
  readonly removeEndedAfter: number | null;
  readonly log: Logger;
}

const PURGE_MS = 60_000;
const INDEX_NAMES_MS = 3_600_000;
const JOBS_MS = 2_000;

/** Starts what a gateway does regularly, besides its requests. */
export const startUpkeep = (
  { store, pipeline, removeEndedAfter, log }: UpkeepParts,
  shutdown: ShutdownStack,
): void => {
  const purge = async (): Promise<void> => {
    const purged = await store.purge();
    if (purged.length > 0) log.info({ tenants: purged }, 'purged deleted tenants');
  };
  const indexNames = async (signal: AbortSignal): Promise<void> => {
    const count = await store.indexNames(signal);
    if (count > 0) log.info({ names: count }, 'indexed names of an earlier version');
  };
  const stopPurging = runRegularly(purge, {
    everyMs: PURGE_MS,
    failure: 'cannot purge deleted tenants',
    log,
  });
  // Not awaited: a purge may take long, and the next gateway completes it.
  shutdown.add(() => void stopPurging());
  shutdown.add(
    runRegularly(indexNames, {
      everyMs: INDEX_NAMES_MS,
      failure: 'cannot index names',
      log,
    }),
  );
  shutdown.add(
    runRegularly(pipeline.resumeJobs, {
      everyMs: JOBS_MS,
      failure: 'cannot look for unfinished jobs',
      log,
    }),
  );
  if (removeEndedAfter === null) return;
  shutdown.add(
    startSmsSweeps({
      smsLists: store.smsLists,
      submit: pipeline.submit,
      log,
      after: removeEndedAfter,
      now: store.instances.databaseTime,
    }),
  );
};

import { randomBytes } from 'node:crypto';
import { forTenant, undeclared } from '../mapping/custom-values.js';
import type { ConnectorAccess, ServiceParts } from '../connector-access.js';
import type { ConnectorStore } from './connector-store.js';
import { executeRun } from './execute-run.js';
import { NO_COUNTS, type RunCounts } from './run-record.js';

interface Running {
  readonly startedMs: number;
  readonly stop: AbortController;
  counts: RunCounts;
  done: number;
}

/** How often an instance looks whether an operator has cancelled its run elsewhere. */
const WATCH_MS = 1_000;

const cancelled = (): Error => new Error('An operator has cancelled the run.');

/** Takes up runs on this instance, one after another. `onDone`: a run has applied uploads. */
export const createRunWorker = (
  { host, clock, machineNow }: ServiceParts,
  { configured, compiled, tenant, storeOf, gatewayOf }: ConnectorAccess,
  onDone: () => Promise<void>,
) => {
  const { name } = configured;
  const instance = randomBytes(8).toString('hex');
  const running = new Map<string, Running>();
  let working: Promise<void> | undefined;

  /** Aborts once the run is cancelled, by whichever instance. */
  const watch = (store: ConnectorStore, runId: string, stop: AbortController): (() => void) => {
    const look = async (): Promise<void> => {
      const run = await store.run(runId).catch(() => undefined);
      if (run?.cancel) stop.abort(cancelled());
      else if (running.get(runId)?.stop === stop)
        unwatch = clock.after(WATCH_MS, () => void look());
    };
    let unwatch = clock.after(WATCH_MS, () => void look());
    return () => unwatch();
  };

  const execute = async (runId: string): Promise<void> => {
    const of = await tenant();
    const ready = forTenant(compiled(), of);
    const unknown = undeclared(ready, of);
    if (unknown.length > 0)
      host.log.warn(
        { connector: name, run: runId, attributes: unknown },
        'the mapping sets attributes that the tenant does not declare; they are left out',
      );
    await host.leases.run(`run-${name}`, async ({ signal, fence }) => {
      const stop = new AbortController();
      const shown: Running = { startedMs: clock.now(), stop, counts: NO_COUNTS, done: 0 };
      running.set(runId, shown);
      const unwatch = watch(storeOf(of), runId, stop);
      const attempt = {
        ...{ configured, compiled: ready, tenant: of, log: host.log, now: host.now },
        ...{ store: storeOf(of, fence), gateway: gatewayOf(of, runId, signal), instance },
        ...{ signal, stop: stop.signal, clock, machineNow },
        onProgress: (counts: RunCounts) => {
          shown.done += Math.max(0, counts.read - shown.counts.read);
          shown.done += Math.max(0, counts.applied - shown.counts.applied);
          shown.counts = counts;
        },
      };
      await executeRun(attempt, runId).finally(unwatch);
    });
    if (!ready.connector.receivesUploads) return;
    if ((await storeOf(of).run(runId))?.state === 'done') await onDone();
  };

  return {
    /** Takes up a run, unless another instance does or one is in progress. */
    work: (runId: string): void => {
      const before = working ?? Promise.resolve();
      const mine: Promise<void> = before
        .then(() => execute(runId))
        .catch((error: unknown) => {
          host.log.warn({ err: error, connector: name, run: runId }, 'a run was interrupted');
        })
        .finally(() => {
          if (working === mine) working = undefined;
          running.delete(runId);
        });
      working = mine;
    },
    /** What is in progress ends, and nothing more begins. */
    stop: (runId: string): void => running.get(runId)?.stop.abort(cancelled()),
    isWorking: (): boolean => working !== undefined,
    end: async (): Promise<void> => working,
    progress: (runId: string) => {
      const found = running.get(runId);
      if (!found) return undefined;
      const seconds = Math.max(0.001, (clock.now() - found.startedMs) / 1_000);
      return { counts: found.counts, perSecond: Math.round(found.done / seconds) };
    },
  };
};

import type { RecoveryJob, RecoveryStore } from '../../outbox/delivery-record.js';
import { systemClock, type Clock } from '../contract/clock.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { PluginDeliveries } from '../contract/host.js';
import type { PluginLog } from '../contract/extension.js';
import { createOutage } from './outage.js';

interface RecoveriesParts {
  readonly subscribers: ReadonlyMap<string, DurableSubscriber>;
  readonly store: RecoveryStore;
  /** This instance. */
  readonly owner: string;
  /** Called after rows of the plugin were requeued. */
  readonly onRequeued: (plugin: string) => void;
  readonly log: PluginLog;
  readonly clock?: Clock;
}

/** Requeues failed deliveries on request, a few hundred at a time. */
interface Recoveries {
  readonly start: () => void;
  /** A recovery was requested here. */
  readonly wake: () => void;
  /** Resolves when no step is running; the rest continues on another instance, or after a restart. */
  readonly stop: () => Promise<void>;
}

/** Between two looks for recoveries that an instance left unfinished; their leases take 30 s to end. */
const POLL_MS = 10_000;
/** While the database does not respond. */
const RETRY_MS = 1_000;
const MAX_PER_STEP = 500;

export const createRecoveries = ({
  subscribers,
  store,
  owner,
  onRequeued,
  log,
  clock = systemClock,
}: RecoveriesParts): Recoveries => {
  let isRunning = false;
  let working = Promise.resolve();
  let cancelTimer = (): void => undefined;
  let isPolling = false;
  /** Requested during a poll that may have missed it. */
  let isAwaited = false;
  const outage = createOutage(log, {
    began: 'The database does not respond; recoveries wait.',
    ended: 'The database responds again; recoveries resume.',
  });

  const isServed = async ({ plugin, tenantId, to }: RecoveryJob): Promise<boolean> => {
    const served = await subscribers.get(plugin)?.serving(tenantId, [to]);
    return served?.has(to) ?? false;
  };

  const work = async (job: RecoveryJob): Promise<void> => {
    while (isRunning) {
      if (!(await isServed(job))) return store.end(owner, job, 'stopped');
      const hasRequeued = await store.step(owner, job, MAX_PER_STEP);
      onRequeued(job.plugin);
      if (!hasRequeued) {
        await store.end(owner, job, 'done');
        const { plugin, to, id: recovery } = job;
        log.info({ plugin, target: to, recovery }, 'Requeued failed deliveries.');
        return;
      }
    }
  };

  const poll = async (): Promise<void> => {
    try {
      for (let job = await store.take(owner); job && isRunning; job = await store.take(owner)) {
        await work(job);
      }
      outage.succeeded();
    } catch (cause) {
      outage.failed(cause);
    }
  };

  const run = (): void => {
    cancelTimer();
    isPolling = true;
    isAwaited = false;
    working = poll().then(() => {
      isPolling = false;
      if (!isRunning) return;
      if (isAwaited) run();
      else cancelTimer = clock.after(outage.failures() > 0 ? RETRY_MS : POLL_MS, run);
    });
  };

  return {
    start: () => {
      isRunning = true;
      run();
    },
    wake: () => {
      isAwaited = true;
      if (isRunning && !isPolling) run();
    },
    stop: async () => {
      isRunning = false;
      cancelTimer();
      await working;
    },
  };
};

/** Informs the delivery engine of rows that requests, not commits, make pending. */
export const wakeAfterRequests = (
  deliveries: PluginDeliveries,
  { redelivered, recovering }: Readonly<Record<'redelivered' | 'recovering', () => void>>,
): PluginDeliveries => ({
  ...deliveries,
  redeliver: async (request) => {
    const isFound = await deliveries.redeliver(request);
    if (isFound) redelivered();
    return isFound;
  },
  recover: async (request) => {
    const recovery = await deliveries.recover(request);
    recovering();
    return recovery;
  },
});

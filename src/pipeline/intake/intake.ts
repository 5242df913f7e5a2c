import type { Refusal } from '../../domain/kernel/refusals.js';
import type { PipelineLog } from '../pipeline-log.js';
import { map, type MonoTypeOperatorFunction, pipe } from 'rxjs';
import type { Arrival } from '../batch.js';
import { refuseWhere } from '../authorise.js';
import { createBusyMeter } from './busy-meter.js';
import { CommandQueue, type QueueLimits } from './command-queue.js';
import { isBackground, takeBatch } from './take-batch.js';
import { createForeground, createTenantActivity } from './tenant-activity.js';

export interface IntakeParts {
  readonly limits?: QueueLimits | undefined;
  /** Maximum weight of a batch, also while other tenants are active. */
  readonly maxBatchWeight?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: (() => number) | undefined;
  readonly log: PipelineLog;
}

/** What commands pass before a batch is formed of them. */
export interface Intake {
  /** Refuses what the queue has no capacity for and counts the rest until it has a result. */
  readonly admit: MonoTypeOperatorFunction<Arrival>;
  /** Takes the next batch off the front of a tenant's queue. */
  readonly takeBatch: (queue: Arrival[], tenant: string) => readonly Arrival[];
  /** Number of commands that wait or run. */
  readonly depth: () => number;
  /** Whether commands have waited or run for most of the last quarter of a second. */
  readonly isBusy: () => boolean;
  readonly isStopping: () => boolean;
  /** Refuses all further commands; resolves when none is in flight. */
  readonly drain: () => Promise<void>;
  /** Ends the commands that wait or run with this refusal. */
  readonly refuseAll: (refusal: Refusal) => void;
}

const MEBIBYTE = 1024 * 1024;
const LIMITS: QueueLimits = {
  perTenant: { weight: 20_000, bytes: 32 * MEBIBYTE },
  overall: { weight: 100_000, bytes: 128 * MEBIBYTE },
};

export const createIntake = ({
  limits = LIMITS,
  maxBatchWeight,
  elapsed = () => performance.now(),
  log,
}: IntakeParts): Intake => {
  const queue = new CommandQueue(limits);
  const busyMeter = createBusyMeter(elapsed);
  const { otherTenantsActive } = createTenantActivity(elapsed);
  const { isBesideBackground } = createForeground(elapsed);
  const take = takeBatch(maxBatchWeight, maxBatchWeight);

  const enter = (arrival: Arrival): Arrival => {
    const entered: Arrival = {
      ...arrival,
      resolve: (outcome) => {
        if (!queue.leave(entered)) return;
        try {
          arrival.resolve(outcome);
          if (queue.size === 0) busyMeter.setWorking(false);
        } catch (error) {
          log.error({ err: error }, 'a command has its outcome, but did not end cleanly');
        }
      },
    };
    queue.enter(entered);
    if (queue.size === 1) busyMeter.setWorking(true);
    return entered;
  };

  return {
    admit: pipe(
      refuseWhere((arrival) => queue.refusalFor(arrival), log),
      map(enter),
    ),
    takeBatch: (waiting, tenant) => {
      const background = waiting.filter(isBackground).length;
      const isBeside = isBesideBackground(tenant, background, waiting.length - background);
      return take(waiting, otherTenantsActive(tenant) || isBeside);
    },
    depth: () => queue.size,
    isBusy: busyMeter.isBusy,
    isStopping: () => queue.isStopping,
    drain: () => queue.drain(),
    refuseAll: (refusal) => {
      for (const { resolve } of queue.all()) resolve({ ok: false, refusal });
    },
  };
};

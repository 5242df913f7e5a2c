import { filter, type MonoTypeOperatorFunction, map, pipe } from 'rxjs';
import { refusalFor } from '../../domain/permissions.js';
import { internalError, type Refusal } from '../../domain/kernel/refusals.js';
import type { Arrival } from '../batch.js';
import type { PipelineLog } from '../pipeline-log.js';
import { CommandQueue, type QueueLimits } from './command-queue.js';
import { isBackground, takeBatch, createForeground, createTenantActivity } from './take-batch.js';

/** A stage that refuses commands and passes on all others. A command that makes it throw fails alone. */
const refuseWhere = (
  refusalOf: (arrival: Arrival) => Refusal | undefined,
  log: PipelineLog,
): MonoTypeOperatorFunction<Arrival> => {
  const check = (arrival: Arrival): Refusal | undefined => {
    try {
      return refusalOf(arrival);
    } catch (error) {
      const { requestId, command } = arrival.envelope;
      const fields = { err: error, request_id: requestId, command: command.type };
      log.error(fields, 'a command could not be checked');
      return internalError();
    }
  };
  return filter((arrival) => {
    const refusal = check(arrival);
    if (refusal) arrival.resolve({ ok: false, refusal });
    return refusal === undefined;
  });
};

/** Stage 2: refuses commands that the actor has no permission for. */
export const authorise = (log: PipelineLog): MonoTypeOperatorFunction<Arrival> =>
  refuseWhere(
    ({ envelope: { actor, source, command } }) => refusalFor(actor, source, command),
    log,
  );

/** Time constant of the average: older work counts less. */
const WINDOW_MS = 250;

/** Measures whether the instance has been working for most of the recent past. */
export interface BusyMeter {
  /** Call it when work starts after idle time, and when the last work ends. */
  readonly setWorking: (isWorking: boolean) => void;
  readonly isBusy: () => boolean;
}

/**
 * `elapsed`: milliseconds of a monotonic clock.
 *
 * @internal
 */
export const createBusyMeter = (elapsed: () => number): BusyMeter => {
  let isWorking = false;
  let since = elapsed();
  /** Exponentially weighted share of working time up to `since`, from 0 to 1. */
  let share = 0;

  const shareAt = (now: number): number => {
    const kept = Math.exp((since - now) / WINDOW_MS);
    return share * kept + (isWorking ? 1 - kept : 0);
  };

  return {
    setWorking: (nowWorking) => {
      const now = elapsed();
      share = shareAt(now);
      since = now;
      isWorking = nowWorking;
    },
    isBusy: () => shareAt(elapsed()) > 0.5,
  };
};

interface IntakeParts {
  readonly limits?: QueueLimits | undefined;
  /** Maximum weight of a batch, also while other tenants are active. */
  readonly maxBatchWeight?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: (() => number) | undefined;
  readonly log: PipelineLog;
}

/** What commands pass before a batch is formed of them. */
interface Intake {
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

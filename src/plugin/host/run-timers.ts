import { type Fence, LeaseLost, type LeaseStore } from '../../ports/plugin-storage.js';
import type { Clock } from '../contract/clock.js';
import type { PluginLog } from '../contract/extension.js';
import type { Timer } from '../contract/contract.js';
import { parseDuration } from '../../../config/duration.js';

export interface LeaseParts {
  readonly store: LeaseStore;
  /** This instance. */
  readonly owner: string;
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: PluginLog;
}

export interface HeldLease {
  readonly signal: AbortSignal;
  readonly fence: Fence;
}

/** After this time without renewal another instance may take the lease, in milliseconds. */
const LEASE_MS = 15_000;
const RENEW_MS = LEASE_MS / 3;
/** After this time without renewal, the holder must assume that the lease is lost. */
const SAFE_MS = LEASE_MS - RENEW_MS;

/**
 * Runs the work while this instance holds the lease; resolves with how long it may take until the
 * lease is free if another one holds it. `pauseMs`: time after its start in which no instance takes it again.
 */
export const holdLease = async (
  { store, owner, stopping, clock, log }: LeaseParts,
  { lease, pauseMs = 0 }: { readonly lease: string; readonly pauseMs?: number },
  work: (held: HeldLease) => Promise<void>,
): Promise<{ readonly waitMs: number } | undefined> => {
  const taken = await store.take({ lease, owner, ttlMs: LEASE_MS });
  if ('waitMs' in taken) return taken;
  const { fence } = taken;
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping.reason);
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop);
  let renewedAt = clock.now();
  let cancel = (): void => undefined;
  let isOver = false;
  const renew = async (): Promise<void> => {
    const startedAt = clock.now();
    try {
      if (await store.renew(fence, LEASE_MS)) renewedAt = startedAt;
      else ending.abort(new LeaseLost(`The lease ${lease} is lost.`));
    } catch (error) {
      log.warn({ err: error, lease }, 'a lease could not be renewed');
      if (clock.now() - renewedAt >= SAFE_MS) ending.abort(error);
    }
    if (!isOver) renewLater();
  };
  const renewLater = (): void => {
    cancel = clock.after(RENEW_MS, () => void renew());
  };
  renewLater();
  try {
    await work({ signal: ending.signal, fence });
  } finally {
    isOver = true;
    cancel();
    stopping.removeEventListener('abort', stop);
    await store.release(fence, pauseMs).catch((error: unknown) => {
      log.warn({ err: error, lease }, 'could not release a lease; it will expire');
    });
  }
  return undefined;
};

/** A timer that runs in this instance whenever it gets the lease. */
export interface RunningTimers {
  /** Resolves when no run is in progress. Call it after the signal has aborted. */
  readonly ended: () => Promise<void>;
}

const MIN_EVERY_MS = 1_000;
const MAX_EVERY_MS = 30 * 86_400_000;
/** Look again at the latest after this time, though another instance holds the lease for longer. */
const MAX_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

/** Milliseconds; throws a sentence for the author of the plugin. */
export const everyMs = ({ name, every }: Timer): number => {
  const ms = parseDuration(every);
  if (ms === undefined || ms < MIN_EVERY_MS || ms > MAX_EVERY_MS)
    throw new RangeError(
      `The timer "${name}" runs every "${every}"; use a duration from 1s to 30d, such as 30s or 6h.`,
    );
  return ms;
};

/** Runs the timers of a plugin, each in one instance at a time. */
export const runTimers = (
  plugin: string,
  timers: readonly Timer[],
  parts: LeaseParts,
): RunningTimers => {
  const loops = timers.map((timer) => loop(plugin, timer, parts));
  return {
    ended: async () => {
      await Promise.all(loops);
    },
  };
};

const loop = async (plugin: string, timer: Timer, parts: LeaseParts): Promise<void> => {
  const pauseMs = everyMs(timer);
  const lease = `timer:${plugin}:${timer.name}`;
  const { stopping, log } = parts;
  while (!stopping.aborted) {
    const waitMs = await holdLease(parts, { lease, pauseMs }, async ({ signal, fence }) => {
      try {
        await timer.run({ signal, fence });
      } catch (error) {
        if (!signal.aborted) log.error({ err: error, timer: timer.name }, 'a timer failed');
      }
    }).then(
      (held) => held?.waitMs ?? pauseMs,
      (error: unknown) => {
        log.warn({ err: error, timer: timer.name }, 'a timer could not take its lease');
        return RETRY_MS;
      },
    );
    await pause(Math.min(waitMs, MAX_WAIT_MS), parts);
  }
};

/** Resolves after this time, or at once if the gateway stops. */
const pause = (
  ms: number,
  { stopping, clock }: Pick<LeaseParts, 'stopping' | 'clock'>,
): Promise<void> =>
  new Promise((resolve) => {
    if (stopping.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    stopping.addEventListener('abort', end, { once: true });
  });

import { type Fence, LeaseLost, type LeaseStore } from '../../api/plugin-storage.js';
import type { Clock } from '../contract/clock.js';
import type { PluginLog } from '../contract/plugin-log.js';

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

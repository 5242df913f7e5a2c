import type { CommandLogReader, LogEnd, LogPosition } from '../../ports/command-log.js';
import type { TenantId } from '../../domain/kernel/ids.js';

/** How much of a log was read: of its commits, and of the entries without one. */
export interface TailPosition extends LogPosition {
  readonly unapplied: number;
}

/** After every other id of the same time. */
const LAST_ID = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

/** After a commit with all its entries. */
export const afterCommit = (at: Date): LogPosition => ({ at, id: LAST_ID });

export const isCommitRead = ({ at, id }: LogPosition, committedAt: Date): boolean =>
  at > committedAt || (at.getTime() === committedAt.getTime() && id === LAST_ID);

/** The growing logs of tenants. */
export interface LogWatch {
  /**
   * Waits until there is more in the log than was read; undefined if there is not after this time, or
   * when the signal aborts. Rejects if the database is unavailable.
   */
  readonly next: (
    tenantId: TenantId,
    read: TailPosition,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ) => Promise<LogEnd | undefined>;
}

interface Waiter {
  readonly tenantId: TenantId;
  readonly read: TailPosition;
  /** By the monotonic clock. */
  readonly endsAt: number;
  readonly signal: AbortSignal;
  /** Ends the wait without news. */
  readonly stop: () => void;
  readonly resolve: (end: LogEnd | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const POLL_MS = 500;

const hasMore = (end: LogEnd, read: TailPosition): boolean =>
  !isCommitRead(read, end.committedAt) || end.unapplied > read.unapplied;

/** Reads the ends of all watched logs at once, twice a second: idle tenants cost no queries of their own. */
export const createLogWatch = (reader: Pick<CommandLogReader, 'ends'>): LogWatch => {
  const waiting = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let polledAt = -Infinity;

  const leave = (waiter: Waiter): void => {
    waiting.delete(waiter);
    waiter.signal.removeEventListener('abort', waiter.stop);
  };

  const poll = async (): Promise<void> => {
    const asked = [...waiting];
    try {
      const ends = await reader.ends([...new Set(asked.map(({ tenantId }) => tenantId))]);
      for (const waiter of asked) {
        const end = ends.get(waiter.tenantId);
        const isNews = end !== undefined && hasMore(end, waiter.read);
        if (!waiting.has(waiter) || (!isNews && performance.now() < waiter.endsAt)) continue;
        leave(waiter);
        waiter.resolve(isNews ? end : undefined);
      }
    } catch (error) {
      for (const waiter of asked) {
        leave(waiter);
        waiter.reject(error);
      }
    }
  };

  const schedule = (): void => {
    if (timer || isPolling || waiting.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        isPolling = true;
        void poll().finally(() => {
          isPolling = false;
          polledAt = performance.now();
          schedule();
        });
      },
      Math.max(0, polledAt + POLL_MS - performance.now()),
    );
    timer.unref();
  };

  return {
    next: (tenantId, read, { timeoutMs, signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          resolve(undefined);
          return;
        }
        const endsAt = performance.now() + timeoutMs;
        const stop = (): void => {
          waiting.delete(waiter);
          resolve(undefined);
        };
        const waiter: Waiter = { tenantId, read, endsAt, signal, stop, resolve, reject };
        waiting.add(waiter);
        signal.addEventListener('abort', stop, { once: true });
        schedule();
      }),
  };
};

import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './held-row.js';

/**
 * Lets what happens now go before what was left for later: while this instance is busy with
 * commands, rows that were claimed (of large batches, retries, a backlog) are sent one by one, and
 * leave CPU and database capacity to requests.
 */
export interface BackgroundThrottle {
  /** Whether such a row may be sent now; if not, `again` is called when to retry. */
  readonly allows: (row: HeldRow) => boolean;
  /** A row is being sent. */
  readonly onSent: (row: HeldRow) => void;
}

export interface BackgroundThrottleParts extends Pick<EngineParts, 'clock' | 'limits' | 'isBusy'> {
  readonly onReady: () => void;
}

export const createBackgroundThrottle = ({
  clock,
  limits,
  isBusy,
  onReady,
}: BackgroundThrottleParts): BackgroundThrottle => {
  let nextAt = -Infinity;
  let isWaiting = false;

  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(limits.throttleMs, () => {
      isWaiting = false;
      onReady();
    });
  };

  return {
    allows: ({ claim }) => {
      if (claim === null || clock.now() >= nextAt || !isBusy()) return true;
      wait();
      return false;
    },
    onSent: ({ claim }) => {
      if (claim !== null) nextAt = clock.now() + limits.throttleMs;
    },
  };
};

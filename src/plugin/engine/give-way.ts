import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './held-row.js';

/**
 * Lets what happens now go before what was left for later: while this instance is busy with
 * commands, rows that were claimed (of large batches, retries, a backlog) are sent one by one, and
 * take only a little of processor and database from those who wait for an answer.
 */
export interface GiveWay {
  /** Whether such a row may be sent now; where not, `again` is called when it may be asked again. */
  readonly lets: (row: HeldRow) => boolean;
  /** A row is being sent. */
  readonly sent: (row: HeldRow) => void;
}

export interface GiveWayParts extends Pick<EngineParts, 'clock' | 'limits' | 'isBusy'> {
  readonly again: () => void;
}

export const createGiveWay = ({ clock, limits, isBusy, again }: GiveWayParts): GiveWay => {
  let nextAt = -Infinity;
  let isWaiting = false;

  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(limits.giveWayMs, () => {
      isWaiting = false;
      again();
    });
  };

  return {
    lets: ({ claim }) => {
      if (claim === null || clock.now() >= nextAt || !isBusy()) return true;
      wait();
      return false;
    },
    sent: ({ claim }) => {
      if (claim !== null) nextAt = clock.now() + limits.giveWayMs;
    },
  };
};

import { setTimeout as wait } from 'node:timers/promises';
import { raise } from '../domain/kernel/refusals.js';
import { FairSlots } from '../pipeline/fair-slots.js';
import { loopScheduler } from '../pipeline/loop-scheduler.js';

/** Long responses of one API key or operator at the same time. */
const MAX_LONG_RESPONSES = 8;
/** Parts that are read at the same time, over all tenants and of one: they occupy the database. */
const MAX_READS = 2;
const MAX_READS_OF_TENANT = 1;
/** While commands run, the pause after a part, as a multiple of the time that the part took. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 100;

/** All requests without credentials. */
const PUBLIC = '';

/** What responses that are too long for memory share: complete lists and exports. */
export interface LongResponses {
  /** Whether this client has as many long responses as it may have. */
  readonly isFull: (client: string | undefined) => boolean;
  /** Counts a response until the result is called. Throws RefusalError RATE_LIMITED beyond the limit. */
  readonly open: (client: string | undefined) => () => void;
  /** Reads the next part when it is the turn of this tenant or operator. Rejects when the signal aborts. */
  readonly read: <Part>(
    owner: string | undefined,
    signal: AbortSignal,
    part: () => Promise<Part>,
  ) => Promise<Part>;
}

/** Ends when the client leaves, too. */
const endingEarly = (ms: number, signal: AbortSignal): Promise<unknown> =>
  wait(ms, undefined, { signal }).catch(() => undefined);

interface LongResponseParts {
  /** Whether commands have been waiting or running recently; they come first. */
  readonly isBusy: () => boolean;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export const createLongResponses = ({
  isBusy,
  elapsed = () => performance.now(),
  pause = endingEarly,
}: LongResponseParts): LongResponses => {
  const open = new Map<string, number>();
  const slots = new FairSlots({ overall: MAX_READS, perKey: MAX_READS_OF_TENANT });

  const count = (client: string, change: 1 | -1): void => {
    const left = (open.get(client) ?? 0) + change;
    if (left > 0) open.set(client, left);
    else open.delete(client);
  };

  const isFull: LongResponses['isFull'] = (client = PUBLIC) =>
    (open.get(client) ?? 0) >= MAX_LONG_RESPONSES;

  return {
    isFull,
    open: (client = PUBLIC) => {
      if (isFull(client))
        raise(
          'RATE_LIMITED',
          `${MAX_LONG_RESPONSES} long responses to this client are in progress, which is the limit. ` +
            'Retry when one has ended.',
          { retryAfter: 1 },
        );
      count(client, 1);
      return () => count(client, -1);
    },
    read: (owner = PUBLIC, signal, part) =>
      slots.run(owner, signal, async () => {
        await loopScheduler.entered(owner);
        const began = elapsed();
        const read = await part();
        const pauseMs = Math.min((elapsed() - began) * PAUSE_FACTOR, MAX_PAUSE_MS);
        if (isBusy()) await pause(pauseMs, signal);
        return read;
      }),
  };
};

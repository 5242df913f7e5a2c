import type { Timer } from '../contract/contract.js';
import { parseDuration } from '../../../config/duration.js';
import { holdLease, type LeaseParts } from './hold-lease.js';

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
export const pause = (
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

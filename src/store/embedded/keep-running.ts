import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './embedded-log.js';
import type { MongodProcess } from './mongod-process.js';

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** After a run of this length the pauses begin anew. */
const STEADY_MS = 60_000;

/**
 * Starts the process, and starts it again whenever it ends by itself: killed for want of memory,
 * aborted by a full disk. It never gives up, so that the gateway recovers as soon as the cause is
 * gone; until then it answers 503. Rejects where the first start fails.
 */
export const keepRunning = async (
  start: () => Promise<MongodProcess>,
  log: EmbeddedLog,
): Promise<{ readonly stop: () => Promise<void> }> => {
  const first = await start();
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = watch(first, start, { log, signal, stopped: once(signal, 'abort') });
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

interface WatchContext {
  readonly log: EmbeddedLog;
  readonly signal: AbortSignal;
  /** Resolves when the signal is given. */
  readonly stopped: Promise<unknown>;
}

/** Resolves once the signal has ended the process. */
const watch = async (
  first: MongodProcess,
  start: () => Promise<MongodProcess>,
  context: WatchContext,
): Promise<void> => {
  let process: MongodProcess | undefined = first;
  let pauseMs = SHORTEST_PAUSE_MS;
  while (!context.signal.aborted) {
    const since = Date.now();
    if (process !== undefined) await untilEnd(process, context);
    if (Date.now() - since > STEADY_MS) pauseMs = SHORTEST_PAUSE_MS;
    process = await startAgain(start, pauseMs, context);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
  await process?.stop();
};

/** Until it ends by itself, or we end it. */
const untilEnd = async (
  process: MongodProcess,
  { log, signal, stopped }: WatchContext,
): Promise<void> => {
  await Promise.race([process.ended, stopped]);
  if (signal.aborted) await process.stop();
  else log.error({}, 'The embedded mongod ended unexpectedly and is started again, see mongod.log');
};

/** Undefined where it did not start, or is no longer wanted. */
const startAgain = async (
  start: () => Promise<MongodProcess>,
  pauseMs: number,
  { log, signal }: WatchContext,
): Promise<MongodProcess | undefined> => {
  try {
    await wait(pauseMs, undefined, { signal });
    return await start();
  } catch (error) {
    if (!signal.aborted)
      log.error({ err: error }, 'The embedded mongod could not be started again');
    return undefined;
  }
};

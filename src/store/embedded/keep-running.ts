import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmbeddedLog } from './embedded-log.js';
import type { MongodProcess } from './mongod-process.js';

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;
/** After a run of this length the delays start again at the minimum. */
const STABLE_MS = 60_000;

/**
 * Starts the process, and restarts it whenever it exits unexpectedly: out of memory, or because the
 * disk is full. It never gives up, so that the gateway recovers once the cause is removed; until
 * then it responds with 503. Rejects if the first start fails.
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
  /** Resolves when the signal is aborted. */
  readonly stopped: Promise<unknown>;
}

/** Resolves when the process has ended after the signal. */
const watch = async (
  first: MongodProcess,
  start: () => Promise<MongodProcess>,
  context: WatchContext,
): Promise<void> => {
  let process: MongodProcess | undefined = first;
  let delayMs = MIN_DELAY_MS;
  while (!context.signal.aborted) {
    const since = Date.now();
    if (process !== undefined) await waitForExit(process, context);
    if (Date.now() - since > STABLE_MS) delayMs = MIN_DELAY_MS;
    process = await restart(start, delayMs, context);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
  await process?.stop();
};

/** Waits until it exits, or stops it on the signal. */
const waitForExit = async (
  process: MongodProcess,
  { log, signal, stopped }: WatchContext,
): Promise<void> => {
  await Promise.race([process.ended, stopped]);
  if (signal.aborted) await process.stop();
  else log.error({}, 'the embedded mongod exited unexpectedly; restarting it (see mongod.log)');
};

/** Undefined if it did not start, or is no longer wanted. */
const restart = async (
  start: () => Promise<MongodProcess>,
  delayMs: number,
  { log, signal }: WatchContext,
): Promise<MongodProcess | undefined> => {
  try {
    await wait(delayMs, undefined, { signal });
    return await start();
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'cannot restart the embedded mongod');
    return undefined;
  }
};

import type { Chunked } from '../domain/kernel/chunked.js';
import { loopScheduler } from './loop-scheduler.js';

/**
 * Time slice in milliseconds. A request takes about six turns of the event loop and waits for up to
 * one slice of other work in each (pipeline-rules.md 9).
 */
const SLICE_MS = 1;

/**
 * For long loops: resolves immediately, or when the client's turn comes if the slice is over. Loops of
 * the same client, such as a tenant, share its time; without a client, each has time of its own.
 */
export const createYielder = (client: unknown = Symbol('loop')): (() => Promise<void>) => {
  let sliceEnds = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() <= sliceEnds) return;
    await loopScheduler.turn(client);
    sliceEnds = performance.now() + SLICE_MS;
  };
};

/** Runs chunked work and yields to the event loop between chunks whenever a time slice is over. */
export const runCooperatively = async <Result>(
  work: Chunked<Result>,
  client?: unknown,
): Promise<Result> => {
  const yieldIfDue = createYielder(client);
  for (;;) {
    const chunk = work.next();
    if (chunk.done) return chunk.value;
    await yieldIfDue();
  }
};

import type { Chunked } from '../domain/kernel/chunked.js';

/**
 * Time slice in milliseconds. A request takes about six turns of the event loop and waits for up to
 * one slice of other work in each (pipeline-rules.md 9).
 */
const SLICE_MS = 5;

/** For long loops: resolves immediately, or after a turn of the event loop if the slice is over. */
export const createYielder = (): (() => Promise<void>) => {
  let sliceEnds = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() <= sliceEnds) return;
    await new Promise(setImmediate);
    sliceEnds = performance.now() + SLICE_MS;
  };
};

/** Runs chunked work and yields to the event loop between chunks whenever a time slice is over. */
export const runCooperatively = async <Result>(work: Chunked<Result>): Promise<Result> => {
  const yieldIfDue = createYielder();
  for (;;) {
    const chunk = work.next();
    if (chunk.done) return chunk.value;
    await yieldIfDue();
  }
};

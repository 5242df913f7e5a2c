/**
 * The event loop is given back this often, in milliseconds: a request is answered in half a dozen
 * turns of it, and waits for such a slice in each (pipeline-rules.md 9).
 */
const SLICE = 5;

/** For a long loop: resolves at once, or gives the event loop back where the slice is over. */
export const createPace = (): (() => Promise<void>) => {
  let sliceEnds = performance.now() + SLICE;
  return async () => {
    if (performance.now() <= sliceEnds) return;
    await new Promise(setImmediate);
    sliceEnds = performance.now() + SLICE;
  };
};

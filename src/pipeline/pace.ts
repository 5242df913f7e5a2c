/** The event loop is given back this often, in milliseconds (pipeline-rules.md 9). */
const SLICE = 10;

/** For a long loop: resolves at once, or gives the event loop back where the slice is over. */
export const createPace = (): (() => Promise<void>) => {
  let sliceEnds = performance.now() + SLICE;
  return async () => {
    if (performance.now() <= sliceEnds) return;
    await new Promise(setImmediate);
    sliceEnds = performance.now() + SLICE;
  };
};

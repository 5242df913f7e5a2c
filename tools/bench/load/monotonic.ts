/** Milliseconds of the monotonic clock, which all processes and V8's profiles share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

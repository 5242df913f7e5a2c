/** Milliseconds of the machine's monotonic clock, the same in every process (and in V8's profiles). */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

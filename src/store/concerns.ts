/** Reads what the primary has now, including what a majority does not have yet. */
export const LOCAL_READ = { readConcern: { level: 'local' } } as const;

/** For writes that may be lost with the primary: the work is repeated then. */
export const PRIMARY_WRITE = { writeConcern: { w: 1 } } as const;

/** For writes that a change of primary must not undo. */
export const MAJORITY_WRITE = { writeConcern: { w: 'majority' } } as const;

/** Set explicitly, independent of the server's defaults (reliability facts, 1). */
export const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
} as const;

/**
 * How long the driver waits for one operation, over all its attempts, in milliseconds: as long as
 * batches may take (pipeline-rules.md 15). What may take longer states its own `timeoutMS`.
 */
export const DRIVER_TIMEOUT_MS = 8_000;

/** For deletions of any size, which continue where they were interrupted. */
export const LONG_WRITE = { timeoutMS: 10 * 60_000 } as const;

/**
 * The server ends the query after this time, and the driver gives up soon after, if the server does
 * not. With a timeout of its own, the driver would replace `maxTimeMS`, but for an option that is
 * missing in its types (mongodb 7.8.0).
 */
export const limitTime = (milliseconds: number) => ({
  maxTimeMS: milliseconds,
  timeoutMS: milliseconds + 1_000,
  omitMaxTimeMS: true,
});

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
 * How long an operation may go without a response, in milliseconds, as long as batches may take
 * (pipeline-rules.md 15). The driver has no other limit: its `timeoutMS` has no effect (mongodb 7.8.0).
 */
export const DRIVER_TIMEOUT_MS = 8_000;

/** For the build of an index and deletions of any size. */
export const NO_TIMEOUT = { socketTimeoutMS: 0 } as const;

/**
 * The result of the work, or a rejection when it takes longer than this; the work itself continues.
 * `late`: the error of that rejection.
 */
export const withinTime = async <Result>(
  milliseconds: number,
  work: () => Promise<Result>,
  late = () => new Error(`It took longer than ${milliseconds / 1_000} s.`),
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
};

interface Regularity {
  readonly everyMs: number;
  /** What cannot be done, for the log. */
  readonly failure: string;
  readonly log: { readonly warn: (fields: object, message: string) => void };
}

/**
 * Runs a task now and regularly, one run at a time; a failure is logged, and the next run tries
 * again. Returns a function that stops and waits for the last run, whose signal it aborts.
 */
export const runRegularly = (
  task: (signal: AbortSignal) => Promise<void>,
  { everyMs, failure, log }: Regularity,
): (() => Promise<void>) => {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= task(stopping.signal)
      .catch((error: unknown) => {
        log.warn({ err: error }, `${failure}; will retry`);
      })
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
};

type Task = () => unknown;

/** What a program has to stop and remove before it ends. */
export interface Cleanup {
  readonly defer: (task: Task) => void;
  /** Runs the tasks in reverse order, each once. A task that fails does not stop the others. */
  readonly run: () => Promise<void>;
}

export const createCleanup = (report: (line: string) => void = () => undefined): Cleanup => {
  const tasks: Task[] = [];
  let running = Promise.resolve();
  const runAll = async (): Promise<void> => {
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      try {
        await task();
      } catch (error) {
        report(`Cleanup failed: ${String(error)}`);
      }
    }
  };
  return {
    defer: (task) => void tasks.push(task),
    run: () => (running = running.then(runAll)),
  };
};

const INTERRUPTED = 130;

/** Cleans up on Ctrl-C. A second signal ends the process at once. */
export const cleanUpOnSignals = ({ run }: Cleanup, report: (line: string) => void): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      report(`${signal}: cleaning up`);
      void run().finally(() => process.exit(INTERRUPTED));
    });
  }
};

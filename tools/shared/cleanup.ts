import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** Runs a program, and cleans up at its end and on Ctrl-C. A second Ctrl-C ends it at once. */
export const runWithCleanup = async <Result>(
  report: (line: string) => void,
  program: (cleanup: Cleanup) => Promise<Result>,
): Promise<Result> => {
  const cleanup = createCleanup(report);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      report(`${signal}: cleaning up`);
      void cleanup.run().finally(() => process.exit(INTERRUPTED));
    });
  // Waiting for a mongod keeps no event loop alive: Node would exit with code 13.
  const keepAlive = setInterval(() => undefined, 60_000);
  try {
    return await program(cleanup);
  } finally {
    await cleanup.run();
    clearInterval(keepAlive);
  }
};

/** A folder that the cleanup removes with everything in it. */
export const temporaryFolder = async (name: string, { defer }: Cleanup): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `rollgate-${name}-`));
  defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

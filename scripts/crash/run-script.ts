import { type Cleanup, createCleanup } from '../../tooling/cleanup.js';

/** Runs a script that starts processes: they are gone when it ends, after Ctrl-C too. */
export const runScript = async (run: (cleanUp: Cleanup) => Promise<number>): Promise<number> => {
  const cleanUp = createCleanup();
  const leave = (): void => void cleanUp.run().finally(() => process.exit(130));
  process.once('SIGINT', leave).once('SIGTERM', leave);
  // A mongod that is waited for holds no event loop open: Node would leave with exit code 13.
  const holding = setInterval(() => undefined, 60_000);
  try {
    return await run(cleanUp);
  } finally {
    await cleanUp.run();
    clearInterval(holding);
  }
};

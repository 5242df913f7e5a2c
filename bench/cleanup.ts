export type Undo = () => void | Promise<void>;

/** What must be undone at the end, however the end comes; the latest first. */
export interface Cleanup {
  readonly add: (undo: Undo) => void;
  /** Undoes everything, once. What cannot be undone is told and does not keep the rest. */
  readonly run: () => Promise<void>;
}

export const startCleanup = (tell: (line: string) => void): Cleanup => {
  const undos: Undo[] = [];
  let running: Promise<void> | undefined;

  const undoAll = async (): Promise<void> => {
    for (let undo = undos.pop(); undo; undo = undos.pop()) {
      try {
        await undo();
      } catch (error) {
        tell(`Could not clean up: ${String(error)}`);
      }
    }
  };

  return {
    add: (undo) => void undos.push(undo),
    run: () => (running ??= undoAll()),
  };
};

const INTERRUPTED = 130;

/** Ctrl-C ends what was started, too; a second one does not wait for it. */
export const cleanUpOnSignals = ({ run }: Cleanup, tell: (line: string) => void): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      tell(`${signal}: cleaning up`);
      void run().finally(() => process.exit(INTERRUPTED));
    });
  }
};

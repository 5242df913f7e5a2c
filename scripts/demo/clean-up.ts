/** What has to be put away at the end, however the end comes. */
export interface CleanUp {
  readonly defer: (task: () => Promise<unknown>) => void;
  /** Last in, first out, each once. One that fails hinders no other: what can be put away, is. */
  readonly run: () => Promise<void>;
}

export const createCleanUp = (): CleanUp => {
  const tasks: (() => Promise<unknown>)[] = [];
  return {
    defer: (task) => void tasks.push(task),
    run: async () => {
      for (let task = tasks.pop(); task; task = tasks.pop()) await task().catch(() => undefined);
    },
  };
};

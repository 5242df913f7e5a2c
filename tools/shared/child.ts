import { fork } from 'node:child_process';
import { once } from 'node:events';

/** What a child process can be called for, by name: one parameter, one result. */
export type Methods<Of> = {
  readonly [Name in keyof Of]: (params: never) => Promise<unknown>;
};

type ParamsOf<Method> = Method extends (params: infer Params) => unknown ? Params : never;
type ResultOf<Method> = Method extends (params: never) => Promise<infer Result> ? Result : never;

export interface Child<Of> {
  /** Rejects with the child's error, or if the child ends. */
  readonly call: <Name extends keyof Of>(
    method: Name,
    params: ParamsOf<Of[Name]>,
  ) => Promise<ResultOf<Of[Name]>>;
  readonly stop: () => Promise<void>;
}

interface Call<Of> {
  readonly id: number;
  readonly method: keyof Of;
  readonly params: never;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts a script that calls `serveMethods`. */
export const startChild = <Of extends Methods<Of>>(
  script: string,
  execArgv: readonly string[] = [],
): Child<Of> => {
  const child = fork(script, { execArgv: [...execArgv], serialization: 'advanced' });
  const waiting = new Map<number, Waiting>();
  const ended = once(child, 'exit');
  let calls = 0;

  child.on('message', ({ id, result, error }: Reply) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(error));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended.`));
  });

  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        const id = (calls += 1);
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
        child.send({ id, method, params });
      }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};

/**
 * Serves the parent's calls, and ends with the parent. Ignores Ctrl-C: the parent stops its
 * children itself.
 */
export const serveMethods = <Of extends Methods<Of>>(methods: Of): void => {
  const reply = (message: Reply): void => void process.send?.(message);
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
  process.on('message', ({ id, method, params }: Call<Of>) => {
    void (async () => {
      try {
        reply({ id, result: await methods[method](params) });
      } catch (error) {
        reply({
          id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      }
    })();
  });
};

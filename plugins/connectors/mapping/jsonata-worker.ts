import { Worker } from 'node:worker_threads';
import type { JsonObject, JsonValue } from '../../../src/plugin/api.js';

/** The value of an expression, or why there is none. */
export type Evaluated =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly message: string };

export type Evaluate = (expression: string, data: JsonObject) => Promise<Evaluated>;

export interface JsonataWorker {
  readonly evaluate: Evaluate;
  readonly stop: () => Promise<void>;
}

/** The longest that one expression may take for one record, in milliseconds. */
const LIMIT_MS = 100;
/** To load the library. */
const START_MS = 10_000;

/** Plain JavaScript: it runs as it is, from source and built. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const compiled = new Map();
void (async () => {
  const { default: jsonata } = await import(workerData);
  parentPort.on('message', async ({ id, expression, data }) => {
    try {
      if (!compiled.has(expression)) compiled.set(expression, jsonata(expression));
      const value = await compiled.get(expression).evaluate(data);
      parentPort.postMessage({ id, ok: true, value: value === undefined ? undefined : JSON.parse(JSON.stringify(value)) });
    } catch (error) {
      parentPort.postMessage({ id, ok: false, message: String(error && error.message || error) });
    }
  });
  parentPort.postMessage({ ready: true });
})();
`;

/** Where the optional package is; throws a sentence that names the command to install it. */
const locate = (): string => {
  try {
    return import.meta.resolve('jsonata');
  } catch (error) {
    throw new Error('JSONata needs the package "jsonata": run "npm install jsonata@2.2.2".', {
      cause: error,
    });
  }
};

interface Waiting {
  readonly resolve: (result: Evaluated) => void;
}

/** A record cannot slow down the gateway: one that takes too long loses the worker, and no more. */
export const createJsonataWorker = (
  where: () => string = locate,
  limitMs = LIMIT_MS,
): JsonataWorker => {
  let worker: Promise<Worker> | undefined;
  let waiting: Waiting | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const start = (): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const started = new Worker(PROGRAM, {
        eval: true,
        execArgv: [],
        env: {},
        workerData: where(),
        resourceLimits: { maxOldGenerationSizeMb: 64 },
      });
      const late = setTimeout(() => {
        void started.terminate();
        reject(new Error('The worker for JSONata did not start.'));
      }, START_MS);
      started.unref();
      started.on('message', (message: { readonly ready?: true } & Evaluated) => {
        clearTimeout(late);
        if (message.ready) resolve(started);
        else waiting?.resolve(message);
      });
      const end = (error: Error): void => {
        clearTimeout(late);
        worker = undefined;
        reject(error);
        waiting?.resolve({ ok: false, message: `the expression failed: ${error.message}` });
      };
      started.on('error', end);
      started.on('exit', () => end(new Error('the worker ended')));
    });

  const evaluateNow = async (expression: string, data: JsonObject): Promise<Evaluated> => {
    const running = await (worker ??= start());
    return new Promise((resolve) => {
      const finish = (result: Evaluated): void => {
        clearTimeout(timer);
        waiting = undefined;
        resolve(result);
      };
      const timer = setTimeout(() => {
        worker = undefined;
        void running.terminate();
        finish({ ok: false, message: `the expression took longer than ${limitMs} ms` });
      }, limitMs);
      waiting = { resolve: finish };
      running.postMessage({ id: 0, expression, data });
    });
  };

  return {
    // One after another, so that the limit is one of the expression and not of the queue.
    evaluate: (expression, data) => {
      const result = turn.then(() => evaluateNow(expression, data));
      turn = result.catch(() => undefined);
      return result;
    },
    stop: async () => {
      const running = worker;
      worker = undefined;
      await running?.then((one) => one.terminate()).catch(() => undefined);
    },
  };
};

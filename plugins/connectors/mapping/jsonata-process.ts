import {
  type IsolatedProcess,
  type JsonObject,
  type JsonValue,
  startProcess,
} from '../../../src/plugin/api.js';

/** The value of an expression, or why there is none. */
export type Evaluated =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly message: string };

export type Evaluate = (expression: string, data: JsonObject) => Promise<Evaluated>;

export interface JsonataProcess {
  readonly evaluate: Evaluate;
  readonly stop: () => Promise<void>;
}

/**
 * The longest that one expression may take for one record, in milliseconds. Expressions take
 * microseconds, but the process has low priority: on a busy machine it may wait for much longer
 * before it runs at all, and no record should go into quarantine because of that.
 */
const LIMIT_MS = 1_000;
/** To start and to load the library, on a busy machine too. */
const START_MS = 30_000;
/** Without an expression for this long, it ends. */
const IDLE_MS = 30_000;
const HEAP_MB = 64;
const MEMORY_MB = 256;
/** The longest value, as JSON. */
const MAX_VALUE = 256 * 1_024;

/** The address of the library is the first message; each further one is an expression. */
const PROGRAM = `
const compiled = new Map();
const evaluate = async (jsonata, { expression, data }) => {
  try {
    if (!compiled.has(expression)) compiled.set(expression, jsonata(expression));
    const json = JSON.stringify(await compiled.get(expression).evaluate(data));
    if (json === undefined) return { ok: true, value: undefined };
    if (json.length > ${MAX_VALUE}) return { ok: false, message: 'its value is longer than ${MAX_VALUE / 1_024} KiB' };
    return { ok: true, value: JSON.parse(json) };
  } catch (error) {
    return { ok: false, message: String(error && error.message || error).slice(0, 500) };
  }
};
process.once('message', async (library) => {
  const { default: jsonata } = await import(library);
  process.on('message', async (request) => process.send(await evaluate(jsonata, request)));
  process.send('ready');
});
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

/** A process that is ready, and the caller that waits for it. */
interface Evaluator {
  readonly process: IsolatedProcess;
  answer: (result: Evaluated) => void;
  hasEnded: boolean;
}

/**
 * Evaluates expressions in a process of their own, which starts with the first one: a record that takes
 * too much time or memory costs that process, and no more.
 */
export const createJsonataProcess = (
  where: () => string = locate,
  limitMs = LIMIT_MS,
  idleMs = IDLE_MS,
): JsonataProcess => {
  const running = new Set<IsolatedProcess>();
  let current: Evaluator | undefined;
  let isStopped = false;
  let idle: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const start = async (): Promise<Evaluator> => {
    const library = where();
    let ready: () => void = () => undefined;
    const evaluator: Evaluator = {
      process: startProcess({
        program: PROGRAM,
        heapMb: HEAP_MB,
        memoryMb: MEMORY_MB,
        onMessage: (message) => {
          if (message === 'ready') ready();
          else evaluator.answer(message as Evaluated);
        },
      }),
      answer: () => undefined,
      hasEnded: false,
    };
    const { process } = evaluator;
    running.add(process);
    const ended = process.ended.then(({ isMemory, notes }) => {
      running.delete(process);
      evaluator.hasEnded = true;
      const message = isMemory
        ? `the expression needs more than ${HEAP_MB} MiB of memory`
        : 'the expression ended its process';
      evaluator.answer({ ok: false, message });
      return notes;
    });
    process.send(library);
    try {
      await inTime(new Promise<void>((resolve) => (ready = resolve)), ended);
      return evaluator;
    } catch (error) {
      void process.kill();
      throw error;
    }
  };

  const evaluateNow = async (expression: string, data: JsonObject): Promise<Evaluated> => {
    clearTimeout(idle);
    if (isStopped) throw new Error('The gateway stops.');
    const evaluator = current && !current.hasEnded ? current : (current = await start());
    const result = await within(limitMs, evaluator, { expression, data });
    idle = setTimeout(() => void evaluator.process.kill(), idleMs).unref();
    return result;
  };

  return {
    // One after another, so that the limit is one of the expression and not of the queue.
    evaluate: (expression, data) => {
      const result = turn.then(() => evaluateNow(expression, data));
      turn = result.catch(() => undefined);
      return result;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(idle);
      await Promise.all([...running].map((process) => process.kill()));
    },
  };
};

/** Rejects if the process ends before it is ready, or is not ready in time. */
const inTime = async (ready: Promise<void>, ended: Promise<string>): Promise<void> => {
  let late: NodeJS.Timeout | undefined;
  const failed = ended.then((notes) => {
    throw new Error(`The process for JSONata did not start. ${notes}`);
  });
  const tooLate = new Promise<never>((_resolve, reject) => {
    late = setTimeout(
      () => reject(new Error('The process for JSONata did not start in time.')),
      START_MS,
    );
  });
  await Promise.race([ready, failed, tooLate]).finally(() => clearTimeout(late));
};

/** Kills the process if it does not answer in time. */
const within = (
  limitMs: number,
  evaluator: Evaluator,
  request: { readonly expression: string; readonly data: JsonObject },
): Promise<Evaluated> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      // An answer that came while the gateway was busy counts.
      setImmediate(() => {
        void evaluator.process.kill();
        evaluator.hasEnded = true;
        resolve({ ok: false, message: `the expression took longer than ${limitMs} ms` });
      });
    }, limitMs);
    evaluator.answer = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    evaluator.process.send(request);
  });

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { PACKAGE_FOLDER } from '../../version.js';
import type { Clock } from '../clock.js';
import {
  type ReadMessage,
  type ReadRequest,
  SourceError,
  type SourceCheck,
  type SourceField,
} from '../connector-contract.js';
import type { OpenConnector } from '../host.js';
import { guardConnector, LIMITS, toSourceError } from './guard-connector.js';
import type { Started, StartParts } from './open-connector.js';
import { createRedact, type Redact, redactLog } from './redact.js';
import { createWatchdog } from './watchdog.js';
import {
  encodeSettings,
  type FromWorker,
  fromPlain,
  type ToWorker,
  type WorkerCall,
  type WorkerPage,
  type WorkerStart,
} from './worker-protocol.js';

/** The module of a connector, for its thread. */
export interface WorkerModule {
  readonly use: string;
  /** Null: built in. */
  readonly url: string | null;
}

/** Without a sign of life for this long, a thread is in a loop that never ends. */
const SILENCE_MS = 10_000;
/** For loading the modules of a thread, on a busy machine too. */
const LOADING_MS = 30_000;
const MEMORY_MB = 256;

const IS_SOURCE = import.meta.url.endsWith('.ts');
/** A program of its own in the build, wherever this module was bundled to. */
const THREAD = IS_SOURCE
  ? new URL('./connector-thread.ts', import.meta.url)
  : pathToFileURL(join(PACKAGE_FOLDER, 'dist/src/plugin/connectors/connector-thread.js'));
/** The sources are run by tsx, which a thread has to load itself. */
const FROM_SOURCE = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(THREAD.href)});
});`;

/**
 * Starts a connector in a thread of its own: one that loops or takes too much memory is ended, and the
 * gateway goes on. Rejects with a SourceError.
 */
export const startInWorker = async (parts: StartParts, module: WorkerModule): Promise<Started> => {
  const { clock } = parts;
  let redact: Redact = (text) => text;
  let thread: Thread | undefined;
  try {
    redact = createRedact(parts.secrets());
    const running = startThread(parts, module, redact);
    thread = running;
    const { call } = running;
    const hasFields = await call({ type: 'start' });
    let readings = 0;
    let hasHung = false;
    const withAbort = async <Result>(type: 'check' | 'discover', signal: AbortSignal) => {
      const abort = (): void => running.tell({ type: 'abort', reading: null });
      signal.addEventListener('abort', abort, { once: true });
      try {
        return (await call({ type })) as Result;
      } finally {
        signal.removeEventListener('abort', abort);
      }
    };
    // The thread keeps the limits of the connector; this guards against the thread itself.
    const open: OpenConnector = guardConnector({
      connector: parts.connector,
      isChecked: true,
      watchdog: createWatchdog(idleClock(clock)),
      clock,
      redact,
      onHang: () => {
        hasHung = true;
        running.end(new SourceError('network', 'The connector hung and was ended.'));
      },
      running: {
        check: (signal) => withAbort<SourceCheck>('check', signal),
        ...(hasFields === true && {
          discover: (signal: AbortSignal) => withAbort<readonly SourceField[]>('discover', signal),
        }),
        read: (request) => {
          readings += 1;
          return readPages(running, readings, request);
        },
      },
    });
    return {
      open,
      hasHung: () => hasHung || running.hasEnded(),
      close: async () => {
        await Promise.race([
          call({ type: 'close' }).catch(() => undefined),
          new Promise<void>((done) => clock.after(LIMITS.stop, done)),
        ]);
        running.end(new SourceError('network', 'The connector was stopped.'));
      },
    };
  } catch (error) {
    const failure = toSourceError(error, redact);
    thread?.end(failure);
    throw failure;
  }
};

/** The thread itself ends a read that is idle, with its own count of pauses. */
const idleClock = (clock: Clock): Clock => ({ ...clock, after: () => () => undefined });

async function* readPages(
  { call, tell }: Thread,
  reading: number,
  { signal, ...request }: ReadRequest,
): AsyncGenerator<ReadMessage> {
  const abort = (): void => tell({ type: 'abort', reading });
  signal.addEventListener('abort', abort, { once: true });
  try {
    await call({ type: 'read', reading, request });
    for (;;) {
      const { messages, isDone } = (await call({ type: 'next', reading })) as WorkerPage;
      yield* messages;
      if (isDone) return;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    await call({ type: 'return', reading }).catch(() => undefined);
  }
}

interface Thread {
  readonly call: (call: WorkerCall) => Promise<unknown>;
  /** Without an answer. */
  readonly tell: (call: WorkerCall) => void;
  /** Ends the thread; calls in flight reject with the error. */
  readonly end: (error: SourceError) => void;
  readonly hasEnded: () => boolean;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const startThread = (parts: StartParts, { use, url }: WorkerModule, redact: Redact): Thread => {
  const { clock, state } = parts;
  const log = redactLog(parts.log, redact);
  const workerData: WorkerStart = {
    name: parts.name,
    use,
    url,
    settings: encodeSettings(parts.settings),
    allow: parts.allow,
    ca: parts.ca,
    userAgent: parts.userAgent,
  };
  const options: WorkerOptions = {
    workerData,
    name: `connector ${parts.name}`,
    // The gateway's variables hold secrets.
    env: { TZ: process.env.TZ ?? '' },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    stdout: true,
    stderr: true,
  };
  const worker = IS_SOURCE
    ? new Worker(FROM_SOURCE, { ...options, eval: true })
    : new Worker(THREAD, options);
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();

  const pending = new Map<number, Pending>();
  let calls = 0;
  let ended: SourceError | undefined;
  // Loading its modules takes longer than anything later.
  let aliveAt = clock.now() + LOADING_MS;
  let cancelWatch: () => void = () => undefined;

  const end = (error: SourceError): void => {
    ended ??= error;
    cancelWatch();
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    void worker.terminate();
  };

  const watch = (): void => {
    const silence = clock.now() - aliveAt;
    if (silence >= SILENCE_MS && pending.size > 0)
      end(
        new SourceError(
          'network',
          `The connector did not respond for ${SILENCE_MS / 1_000} s and was ended.`,
        ),
      );
    else if (!ended) cancelWatch = clock.after(SILENCE_MS / 10, watch);
  };
  cancelWatch = clock.after(SILENCE_MS / 10, watch);

  const answer = async (asked: Extract<FromWorker, { readonly ask: number }>): Promise<void> => {
    try {
      if (asked.type === 'set') await state.set(asked.key, asked.value);
      const value = asked.type === 'get' ? await state.get(asked.key) : undefined;
      send({ answer: asked.ask, value });
    } catch (error) {
      send({ answer: asked.ask, error: error instanceof Error ? error.message : String(error) });
    }
  };

  const send = (message: ToWorker): void => {
    if (!ended) worker.postMessage(message);
  };

  worker.on('message', (message: FromWorker) => {
    aliveAt = clock.now();
    switch (message.type) {
      case 'alive':
        return;
      case 'log':
        log[message.level](message.fields, message.message);
        return;
      case 'get':
      case 'set':
        void answer(message);
        return;
      case 'result':
        pending.get(message.id)?.resolve(message.value);
        break;
      case 'error':
        pending.get(message.id)?.reject(fromPlain(message.error));
        break;
    }
    pending.delete(message.id);
  });
  worker.on('error', (error: Error & { readonly code?: string }) =>
    end(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new SourceError('config', `The connector needs more than ${MEMORY_MB} MiB of memory.`)
        : new SourceError('schema', `The connector's thread ended: ${error.message}`),
    ),
  );
  worker.on('exit', () => end(new SourceError('network', "The connector's thread ended.")));

  return {
    call: (call) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(ended);
          return;
        }
        calls += 1;
        // Silence counts from now on: an idle thread has nothing to answer.
        if (pending.size === 0) aliveAt = Math.max(aliveAt, clock.now());
        pending.set(calls, { resolve, reject });
        send({ id: calls, call });
      }),
    tell: (call) => send({ id: 0, call }),
    end,
    hasEnded: () => ended !== undefined,
  };
};

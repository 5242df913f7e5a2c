import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { JsonValue } from '../../domain/kernel/json.js';
import { systemClock } from '../clock.js';
import { type Connector, type ReadMessage, SourceError } from '../connector-contract.js';
import { createNameResolver } from '../outbound/name-resolver.js';
import type { PluginLog } from '../plugin-log.js';
import { toSourceError } from './guard-connector.js';
import { type Started, startConnector } from './open-connector.js';
import { createSourceClock } from './source-clock.js';
import {
  decodeSettings,
  type FromWorker,
  secretsOf,
  toPlain,
  type ToWorker,
  type WorkerCall,
  type WorkerPage,
  type WorkerStart,
} from './worker-protocol.js';

/*
 * The thread of a connector with `isolation: worker`: it starts the connector as the gateway would and
 * answers its calls. It reports that it is alive, which a loop that never ends prevents.
 */

const ALIVE_MS = 1_000;
/** Messages of a page, and how long one is filled. */
const PAGE = 200;
const PAGE_MS = 50;

const port = parentPort;
if (!port) throw new Error('This module runs in a worker.');
const start = workerData as WorkerStart;
const post = (message: FromWorker): void => port.postMessage(message);
setInterval(() => post({ type: 'alive' }), ALIVE_MS);

let asked = 0;
const asking = new Map<number, (answer: Extract<ToWorker, { readonly answer: number }>) => void>();
type Question =
  | { readonly type: 'get'; readonly key: string }
  | { readonly type: 'set'; readonly key: string; readonly value: JsonValue };
const ask = (question: Question): Promise<JsonValue | undefined> =>
  new Promise((resolve, reject) => {
    asked += 1;
    asking.set(asked, ({ value, error }) =>
      error === undefined ? resolve(value) : reject(new Error(error)),
    );
    post({ ...question, ask: asked });
  });

const write = (level: keyof PluginLog) => (fields: object, message: string) =>
  post({ type: 'log', level, fields: JSON.parse(JSON.stringify(fields)) as object, message });

const importConnector = async (): Promise<Connector> => {
  if (start.url !== null) {
    const { default: exported } = (await import(/* @vite-ignore */ start.url)) as {
      readonly default: Connector | ((api: unknown) => Promise<Connector>);
    };
    return typeof exported === 'function' ? exported(await import('../api.js')) : exported;
  }
  const { BUILT_IN_CONNECTORS } = await import('../../../connectors/index.js');
  const builtIn = BUILT_IN_CONNECTORS[start.use];
  if (!builtIn) throw new Error(`There is no built-in connector "${start.use}".`);
  return (await builtIn()).default;
};

let running: Started | undefined;
const aborts = new Map<number | null, AbortController>();

interface Reading {
  readonly iterator: AsyncIterator<ReadMessage>;
  /** The message that the source has not sent yet. */
  next: Promise<IteratorResult<ReadMessage>> | undefined;
}
const readings = new Map<number, Reading>();

const isRunning = (): Started => {
  if (running) return running;
  throw new SourceError('network', 'The connector has not started.');
};

const signalOf = (reading: number | null): AbortSignal => {
  const controller = new AbortController();
  aborts.set(reading, controller);
  return controller.signal;
};

/** Messages until a checkpoint, the size of a page, or a pause of the source. */
const nextPage = async (reading: number): Promise<WorkerPage> => {
  const read = readings.get(reading);
  if (!read) return { messages: [], isDone: true };
  const messages: ReadMessage[] = [];
  const pause = wait(PAGE_MS, 'pause' as const, { ref: false });
  while (messages.length < PAGE) {
    read.next ??= read.iterator.next();
    // What came before an error counts: it is thrown for the next page.
    const next = await (messages.length === 0
      ? read.next
      : Promise.race([read.next.catch(() => 'pause' as const), pause]));
    if (next === 'pause') break;
    if (next.done) return { messages, isDone: true };
    read.next = undefined;
    messages.push(next.value);
    // The host stores it before it asks for more.
    if (next.value.type === 'checkpoint') break;
  }
  return { messages, isDone: false };
};

const carryOut = async (call: WorkerCall): Promise<unknown> => {
  switch (call.type) {
    case 'start': {
      const settings = decodeSettings(start.settings);
      running = await startConnector({
        name: start.name,
        connector: await importConnector(),
        settings,
        secrets: () => secretsOf(settings),
        allow: start.allow,
        ca: start.ca,
        log: {
          debug: write('debug'),
          info: write('info'),
          warn: write('warn'),
          error: write('error'),
        },
        state: {
          get: (key) => ask({ type: 'get', key }),
          set: async (key, value) => {
            await ask({ type: 'set', key, value });
          },
        },
        // Gauges are read by the gateway, which must not wait for a thread.
        metrics: { gauge: () => undefined, counter: () => () => undefined },
        sourceClock: createSourceClock(() => new Date()),
        clock: systemClock,
        resolve: createNameResolver().resolve,
        userAgent: start.userAgent,
      });
      return running.open.discover !== undefined;
    }
    case 'check':
      return isRunning().open.check(signalOf(null));
    case 'discover':
      return isRunning().open.discover?.(signalOf(null));
    case 'read': {
      const messages = isRunning().open.read({
        ...call.request,
        signal: signalOf(call.reading),
      });
      readings.set(call.reading, {
        iterator: messages[Symbol.asyncIterator](),
        next: undefined,
      });
      return null;
    }
    case 'next':
      return nextPage(call.reading);
    case 'return': {
      const read = readings.get(call.reading);
      readings.delete(call.reading);
      aborts.get(call.reading)?.abort(new Error('The read has ended.'));
      aborts.delete(call.reading);
      await read?.iterator.return?.();
      return null;
    }
    case 'abort':
      aborts.get(call.reading)?.abort(new Error('The run was ended.'));
      return null;
    case 'close':
      await running?.close();
      return null;
  }
};

port.on('message', (message: ToWorker) => {
  if ('answer' in message) {
    asking.get(message.answer)?.(message);
    asking.delete(message.answer);
    return;
  }
  const { id, call } = message;
  carryOut(call).then(
    (value) => post({ type: 'result', id, value }),
    (error: unknown) =>
      post({ type: 'error', id, error: toPlain(toSourceError(error, (text) => text)) }),
  );
});

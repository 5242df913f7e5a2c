import { setTimeout as wait } from 'node:timers/promises';
import type { JsonValue } from '../../domain/kernel/json.js';
import { type Connector, type ReadMessage, SourceError } from '../contract/connector-contract.js';
import { createNameResolver } from '../outbound/name-resolver.js';
import { readProxy } from '../outbound/outbound-proxy.js';
import type { PluginLog } from '../contract/extension.js';
import { importDefault } from '../host/import-extension.js';
import { toSourceError } from './guard-connector.js';
import { requireSmallState, STANDALONE, type Started, startConnector } from './open-connector.js';
import {
  decodeSettings,
  type FromProcess,
  type ProcessCall,
  type ProcessPage,
  type ProcessStart,
  toPlain,
  type ToProcess,
} from './process-protocol.js';

const ALIVE_MS = 1_000;
/** Messages of a page, its length as JSON, and how long one is filled. */
const PAGE = 200;
const PAGE_LENGTH = 256 * 1_024;
const PAGE_MS = 50;
/** Lines of the log between two signs of life, and the longest fields and text of one. */
const LOG_LINES = 200;
const LOG_FIELDS = 8 * 1_024;
const LOG_TEXT = 2_000;

const post = (message: FromProcess): void => void process.send?.(message);
let lines = 0;
const reportAlive = (): void => {
  post({ type: 'alive' });
  if (lines > LOG_LINES) {
    const dropped = lines - LOG_LINES;
    post({ type: 'log', level: 'warn', fields: { dropped }, message: 'lines were dropped' });
  }
  lines = 0;
};

/** Calls to the connector's state, which the gateway stores. */
let stateCalls = 0;
type StateResponse = Extract<ToProcess, { readonly answer: number }>;
const pendingStateCalls = new Map<number, (response: StateResponse) => void>();
type StateCall =
  | { readonly type: 'get'; readonly key: string }
  | { readonly type: 'set'; readonly key: string; readonly value: JsonValue };
const callState = (call: StateCall): Promise<JsonValue | undefined> =>
  new Promise((resolve, reject) => {
    stateCalls += 1;
    pendingStateCalls.set(stateCalls, ({ value, error }) =>
      error === undefined ? resolve(value) : reject(new Error(error)),
    );
    post({ ...call, ask: stateCalls });
  });

const write =
  (level: keyof PluginLog): PluginLog[typeof level] =>
  (fields, message) => {
    lines += 1;
    if (lines > LOG_LINES) return;
    const json = JSON.stringify(fields);
    post({
      type: 'log',
      level,
      fields: json.length > LOG_FIELDS ? {} : (JSON.parse(json) as Record<string, unknown>),
      message: message.slice(0, LOG_TEXT),
    });
  };

/** The connectors that are part of Rollgate, by name; each is imported on first use. */
export type BuiltInConnectors = Readonly<
  Record<string, () => Promise<{ readonly default: Connector }>>
>;

const importConnector = async (
  start: ProcessStart,
  builtIns: BuiltInConnectors,
): Promise<Connector> => {
  if (start.url !== null) return (await importDefault(start.url)) as Connector;
  const builtIn = builtIns[start.use];
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
const nextPage = async (reading: number): Promise<ProcessPage> => {
  const read = readings.get(reading);
  const texts: string[] = [];
  let length = 0;
  const page = (isDone: boolean): ProcessPage => ({ messages: `[${texts.join(',')}]`, isDone });
  if (!read) return page(true);
  const pause = wait(PAGE_MS, 'pause' as const, { ref: false });
  while (texts.length < PAGE && length < PAGE_LENGTH) {
    read.next ??= read.iterator.next();
    // What came before an error counts: it is thrown for the next page.
    const next = await (texts.length === 0
      ? read.next
      : Promise.race([read.next.catch(() => 'pause' as const), pause]));
    if (next === 'pause') break;
    if (next.done) return page(true);
    read.next = undefined;
    const text = JSON.stringify(next.value);
    texts.push(text);
    length += text.length;
    // The host stores it before it asks for more.
    if (next.value.type === 'checkpoint') break;
  }
  return page(false);
};

/** The gateway keeps them for the next process. */
class ReportedPauses extends Map<string, number> {
  override set(host: string, until: number): this {
    post({ type: 'pause', host, until });
    return super.set(host, until);
  }
}

const start = async (given: ProcessStart, builtIns: BuiltInConnectors): Promise<boolean> => {
  running = await startConnector({
    // Without metrics: gauges are read by the gateway, which must not wait for a process.
    ...STANDALONE,
    name: given.name,
    connector: await importConnector(given, builtIns),
    settings: decodeSettings(given.settings),
    allow: given.allow,
    ca: given.ca,
    log: {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    },
    state: {
      get: (key) => callState({ type: 'get', key }),
      set: async (key, value) => {
        requireSmallState(key, value);
        await callState({ type: 'set', key, value });
      },
    },
    resolve: createNameResolver().resolve,
    proxy: readProxy(process.env),
    userAgent: given.userAgent,
    pauses: new ReportedPauses(given.pauses),
  });
  return running.open.discover !== undefined;
};

const runCall = async (call: ProcessCall, builtIns: BuiltInConnectors): Promise<unknown> => {
  switch (call.type) {
    case 'start':
      return start(call.start, builtIns);
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

/**
 * Makes this process that of a connector: starts it as the gateway would, and runs the gateway's calls.
 * Reports that it is alive, which a loop that never ends prevents. What it sends is bounded, for the
 * gateway has to read it.
 */
export const serveConnector = (builtIns: BuiltInConnectors): void => {
  setInterval(reportAlive, ALIVE_MS);
  process.on('message', (message: ToProcess) => {
    if ('answer' in message) {
      pendingStateCalls.get(message.answer)?.(message);
      pendingStateCalls.delete(message.answer);
      return;
    }
    const { id, call } = message;
    runCall(call, builtIns).then(
      (value) => post({ type: 'result', id, value }),
      (error: unknown) =>
        post({ type: 'error', id, error: toPlain(toSourceError(error, (text) => text)) }),
    );
  });
};

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type {
  Connector,
  ConnectorHost,
  JsonValue,
  ReadMessage,
  ReadRequest,
} from '../../src/plugin/api.js';

/** What a connector gets in a test, with everything that it logged. */
export interface SourceHost extends ConnectorHost {
  readonly logged: readonly string[];
  /** Milliseconds that the connector slept. */
  readonly slept: readonly number[];
  /** Sockets that it opened, also by libraries. */
  readonly sockets: readonly Socket[];
}

export interface SourceHostOptions {
  readonly now?: Date;
  /** Called for each pause of the connector; it does not take any time. */
  readonly onSleep?: () => Promise<void> | void;
}

/** A host for one connector; its settings are parsed as those of the configuration. */
export const sourceHost = (
  connector: Connector,
  settings: object,
  { now = new Date(), onSleep }: SourceHostOptions = {},
): SourceHost => {
  const logged: string[] = [];
  const slept: number[] = [];
  const sockets: Socket[] = [];
  const values = new Map<string, JsonValue>();
  const log = (fields: object, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const refuse = (): never => {
    throw new Error('This connector uses no HTTP.');
  };
  return {
    name: 'test',
    settings: connector.settings?.parse(settings),
    log: { debug: log, info: log, warn: log, error: log },
    clock: {
      now: () => now,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        slept.push(ms);
        await onSleep?.();
      },
    },
    http: { get: refuse, post: refuse, stream: refuse },
    network: {
      connect: async ({ host, port, signal }) => {
        const socket = connect({ host, port });
        sockets.push(socket);
        await once(socket, 'connect', { signal });
        return socket;
      },
    },
    state: {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => Promise.resolve(void values.set(key, value)),
    },
    metrics: {
      counter: () => () => undefined,
      gauge: () => undefined,
    },
    signal: new AbortController().signal,
    logged,
    slept,
    sockets,
  };
};

const FULL: ReadRequest = {
  mode: 'full',
  cursor: null,
  isResumed: false,
  pageSize: 100,
  signal: new AbortController().signal,
};

/** Everything that a read yields; the messages so far are in `messages` if it fails. */
export const readAll = async (
  connector: Connector,
  host: ConnectorHost,
  request: Partial<ReadRequest> = {},
  messages: ReadMessage[] = [],
): Promise<ReadMessage[]> => {
  const running = await connector.start(host);
  for await (const message of running.read({ ...FULL, ...request })) messages.push(message);
  await running.stop?.();
  return messages;
};

type Message<Type extends ReadMessage['type']> = Extract<ReadMessage, { readonly type: Type }>;

/** The messages of one type. */
export const only = <Type extends ReadMessage['type']>(
  type: Type,
  messages: readonly ReadMessage[],
): Message<Type>[] => messages.filter((message): message is Message<Type> => message.type === type);

import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  SourceClock,
  Connector,
  ReadMessage,
  ReadRequest,
  OpenConnector,
} from '../contract/connector-contract.js';
import { secretsIn } from '../../../config/secret.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { faultsOfConnector } from '../contract/check-declarations.js';
import {
  STANDALONE,
  type Started,
  startConnector,
  stateIn,
} from '../connector-runtime/open-connector.js';
import { createNameResolver } from '../outbound/name-resolver.js';
import { PluginError } from '../host/plugin-host.js';
import { createTestLog, type LogLine } from './test-log.js';

/** A clock whose pauses take no time: it moves on by each of them. */
export interface FakeSourceClock extends SourceClock {
  /** The pauses so far, in milliseconds. */
  readonly pauses: readonly number[];
  readonly advance: (ms: number) => void;
}

/** Starts at the machine's time, unless set. */
export const createFakeSourceClock = (start = new Date()): FakeSourceClock => {
  let now = start.getTime();
  const pauses: number[] = [];
  return {
    pauses,
    now: () => new Date(now),
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
      now += ms;
      await nextTurn();
      signal?.throwIfAborted();
    },
  };
};

/** Everything has a default except required settings. */
export interface TestConnectorOptions {
  /** As in the configuration; `{}` if absent. */
  readonly settings?: unknown;
  /** The key of its section; the connector's name if absent. */
  readonly name?: string;
  /** Non-public addresses that it may reach; those of this machine if absent. */
  readonly allow?: readonly string[];
  /** A PEM file of further authorities. */
  readonly ca?: string;
  /** Its small values; shared by connectors that stand for restarts of one. */
  readonly state?: Map<string, JsonValue>;
  readonly clock?: FakeSourceClock;
  /** Default: 2. */
  readonly pageSize?: number;
}

/** A started connector, and everything that can be seen of it. */
export interface TestConnector extends OpenConnector {
  readonly clock: FakeSourceClock;
  readonly log: readonly LogLine[];
  readonly state: ReadonlyMap<string, JsonValue>;
  /** What its settings contain that must not be shown. */
  readonly secrets: readonly string[];
  /** Whether it did not end what it had to end. */
  readonly hasHung: () => boolean;
  /** Reads to the end and returns all messages. */
  readonly readAll: (request?: Partial<ReadRequest>) => Promise<readonly ReadMessage[]>;
  /** A request for a full read, with changes. */
  readonly request: (request?: Partial<ReadRequest>) => ReadRequest;
  readonly stop: () => Promise<void>;
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/**
 * Starts a connector on the real host, with a clock whose pauses take no time and state in memory. It
 * reaches this machine only.
 *
 * @example
 * const source = await startTestConnector(bamboo, { settings: { url } });
 * const messages = await source.readAll();
 * await source.stop();
 */
export const startTestConnector = async (
  connector: Connector,
  options: TestConnectorOptions = {},
): Promise<TestConnector> => {
  const {
    name = connector.name,
    clock = createFakeSourceClock(),
    state = new Map<string, JsonValue>(),
    pageSize = 2,
  } = options;
  const [fault] = faultsOfConnector(connector);
  if (fault !== undefined) throw new PluginError(`connectors.${name}: ${fault}.`);
  const settings = connector.settings?.parse(options.settings ?? {}) ?? {};
  const secrets = secretsIn(settings).map((secret) => secret.reveal());
  const { lines, log } = createTestLog();
  const resolver = createNameResolver();
  const started: Started = await startConnector({
    ...STANDALONE,
    name,
    connector,
    settings,
    // Tests look for them.
    secrets: () => [],
    allow: options.allow ?? LOOPBACK,
    ca: options.ca,
    log,
    state: stateIn(state),
    sourceClock: clock,
    resolve: resolver.resolve,
    userAgent: 'Rollgate/test',
  }).catch((error: unknown) => {
    resolver.close();
    throw error;
  });
  const request = (more: Partial<ReadRequest> = {}): ReadRequest => ({
    mode: 'full',
    cursor: null,
    isResumed: false,
    pageSize,
    signal: new AbortController().signal,
    ...more,
  });
  return {
    ...started.open,
    hasHung: started.isOver,
    clock,
    log: lines,
    state,
    secrets,
    request,
    readAll: async (more) => {
      const messages: ReadMessage[] = [];
      for await (const message of started.open.read(request(more))) messages.push(message);
      return messages;
    },
    stop: async () => {
      await started.close();
      resolver.close();
    },
  };
};

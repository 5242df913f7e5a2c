import { secretsIn } from '../../../config/secret.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import type { PluginCollection } from '../../ports/plugin-storage.js';
import { withinTime } from '../../process/timers.js';
import { type Clock, createSourceClock, systemClock } from '../contract/clock.js';
import {
  type Connector,
  type ConnectorHost,
  type SourceClock,
  SourceError,
  type SourceHttp,
  type SourceState,
  type OpenConnector,
} from '../contract/connector-contract.js';
import type { PluginLog, PluginMetrics } from '../contract/extension.js';
import { createAddressGuard, type Resolver } from '../outbound/address-guard.js';
import type { OutboundProxy } from '../outbound/outbound-proxy.js';
import { guardConnector, LIMITS, toSourceError } from './guard-connector.js';
import type { HostPauses } from './host-limits.js';
import { createRedact, type Redact, redactLog } from './redact.js';
import { createSourceHttp } from './source-http.js';
import { createSourceNetwork } from './source-network.js';
import { createWatchdog, type Watchdog } from './watchdog.js';

/** A connector that is started here, and what it needs. */
export interface StartParts {
  readonly name: string;
  readonly connector: Connector;
  readonly settings: unknown;
  /** What must not be logged. Absent: the secrets in the settings. */
  readonly secrets?: () => readonly string[];
  readonly allow: readonly string[];
  readonly ca?: string | undefined;
  readonly log: PluginLog;
  readonly state: SourceState;
  readonly metrics: PluginMetrics;
  readonly sourceClock: SourceClock;
  /** For time limits. */
  readonly clock: Clock;
  readonly resolve: Resolver;
  readonly proxy?: OutboundProxy | undefined;
  readonly userAgent: string;
  /** Pauses that hosts requested; they outlive a connector that is started again. */
  readonly pauses?: HostPauses | undefined;
}

/** What a connector has that runs outside a gateway: the machine's clocks, and no metrics. */
export const STANDALONE = {
  metrics: { gauge: () => undefined, counter: () => () => undefined },
  sourceClock: createSourceClock(() => new Date()),
  clock: systemClock,
} satisfies Partial<StartParts>;

/** The small values of such a connector. */
export const stateIn = (values: Map<string, JsonValue>): SourceState => ({
  get: (key) => Promise.resolve(values.get(key)),
  set: (key, value) => Promise.resolve(void values.set(key, structuredClone(value))),
});

/** A started connector, and how to end it. */
export interface Started {
  readonly open: OpenConnector;
  /** Aborts what it does and stops it within 5 s; never rejects. */
  readonly close: () => Promise<void>;
  /** It must not be used again: it did not end what it had to end, or its process has ended. */
  readonly isOver: () => boolean;
}

/** Starts a connector within 10 s; rejects with a SourceError. */
export const startConnector = async (parts: StartParts): Promise<Started> => {
  const { connector, clock } = parts;
  const redact = redactFor(parts);
  const watchdog = createWatchdog(clock);
  const stopping = new AbortController();
  let http: ReturnType<typeof createSourceHttp> | undefined;
  try {
    const { settings } = parts;
    const policy = connector.outbound?.(settings) ?? {};
    const guard = createAddressGuard([...parts.allow, ...(policy.allow ?? [])]);
    const log = redactLog(parts.log, redact);
    const sourceClock = heldClock(parts.sourceClock, watchdog);
    const { signal } = stopping;
    http = createSourceHttp({
      guard,
      resolve: parts.resolve,
      ca: parts.ca ?? policy.ca,
      proxy: parts.proxy,
      clock: sourceClock,
      log,
      userAgent: parts.userAgent,
      signal,
      pauses: parts.pauses,
    });
    const host: ConnectorHost = {
      name: parts.name,
      settings,
      log,
      clock: sourceClock,
      http: touching(http, watchdog),
      network: createSourceNetwork({ guard, resolve: parts.resolve, signal }),
      state: parts.state,
      metrics: parts.metrics,
      signal,
    };
    const running = await withinTime(
      LIMITS.start,
      async () => connector.start(host),
      () => new SourceError('network', `It did not start within ${LIMITS.start / 1_000} s.`),
    );
    let hasHung = false;
    const open = guardConnector({
      connector,
      running,
      watchdog,
      clock,
      redact,
      onHang: () => {
        hasHung = true;
      },
    });
    return {
      open,
      isOver: () => hasHung,
      close: async () => {
        stopping.abort(new Error('The connector stops.'));
        try {
          await withinTime(LIMITS.stop, async () => running.stop?.());
        } catch (error) {
          log.warn({ reason: toSourceError(error, redact).message }, 'the connector did not stop');
        }
        http?.close();
      },
    };
  } catch (error) {
    stopping.abort(new Error('The connector did not start.'));
    http?.close();
    throw toSourceError(error, redact);
  }
};

/** Throws a SourceError if a secret cannot be read. */
export const redactFor = ({ settings, secrets }: StartParts): Redact => {
  try {
    return createRedact(secrets?.() ?? secretsIn(settings).map((secret) => secret.reveal()));
  } catch (error) {
    throw toSourceError(error, (text) => text);
  }
};

/** Pauses that the connector asks for are no hang. */
const heldClock = ({ now, sleep }: SourceClock, watchdog: Watchdog): SourceClock => ({
  now,
  sleep: async (ms, signal) => {
    const release = watchdog.hold();
    try {
      await sleep(ms, signal);
    } finally {
      release();
    }
  },
});

const touching = ({ get, post, stream }: SourceHttp, { touch }: Watchdog): SourceHttp => {
  const touched = <Result>(result: Result): Result => {
    touch();
    return result;
  };
  return {
    get: async (request) => touched(await get(request)),
    post: async (request) => touched(await post(request)),
    stream: async (request) => {
      const answer = touched(await stream(request));
      answer.body.on('data', touch).pause();
      return answer;
    },
  };
};

const MAX_STATE = 1024 * 1024;

/** Throws a TypeError if the value is larger than 1 MiB. */
export const requireSmallState = (key: string, value: JsonValue): void => {
  if (JSON.stringify(value).length > MAX_STATE)
    throw new TypeError(`The value of "${key}" is larger than 1 MiB.`);
};

/** The small values of a connector, in a collection that all connectors share. */
export const createSourceState = (name: string, documents: PluginCollection): SourceState => {
  const keyOf = (key: string): string => `${name}/${key}`;
  return {
    get: async (key) => (await documents.get(null, keyOf(key)))?.value.value,
    set: async (key, value: JsonValue) => {
      requireSmallState(key, value);
      await documents.put(null, [{ key: keyOf(key), value: { value } }]);
    },
  };
};

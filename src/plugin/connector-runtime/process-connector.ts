import { withinTime } from '../../process/timers.js';
import type { Clock } from '../contract/clock.js';
import {
  type ReadMessage,
  type ReadRequest,
  SourceError,
  type SourceCheck,
  type SourceField,
} from '../contract/connector-contract.js';
import { PROXY_VARIABLES } from '../outbound/outbound-proxy.js';
import { startProcess } from './isolated-process.js';
import { guardConnector, LIMITS, toSourceError } from './guard-connector.js';
import { redactFor, type Started, type StartParts } from './open-connector.js';
import {
  encodeSettings,
  FROM_PROCESS,
  type FromProcess,
  fromPlain,
  type ProcessCall,
  type ProcessPage,
  type ProcessStart,
  type ToProcess,
} from './process-protocol.js';
import { type Redact, redactLog } from './redact.js';
import { createWatchdog } from './watchdog.js';

/** The module of a connector, and the program that imports it. */
export interface ConnectorModule {
  readonly use: string;
  /** Null: built in. */
  readonly url: string | null;
  /** Calls `serveConnector`. */
  readonly program: URL;
}

/** Without a sign of life for this long, a process is in a loop that never ends. */
const SILENCE_MS = 10_000;
/** For loading the modules of a process, on a busy machine too. */
const LOADING_MS = 30_000;
/** Without a call for this long it ends. */
const IDLE_MS = 30_000;
const HEAP_MB = 256;
const MEMORY_MB = 512;

const STOPPED = new SourceError('network', 'The connector was stopped.');
/** Of the gateway's variables, which hold secrets: the time zone, CAs to trust and the proxy. */
const SHARED_VARIABLES = [
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  ...PROXY_VARIABLES,
];

/**
 * Starts a connector in a process of its own: one that loops, takes too much memory or exits is ended,
 * and the gateway goes on. The process ends while it has no calls, and is over then. Rejects with a
 * SourceError.
 */
export const startInProcess = async (
  parts: StartParts,
  module: ConnectorModule,
  idleMs = IDLE_MS,
): Promise<Started> => {
  const { clock } = parts;
  let redact: Redact = (text) => text;
  try {
    redact = redactFor(parts);
    const process = startConnectorProcess(parts, module.program, redact);
    const hasFields = await startIn(process, parts, module);
    let isOver = false;
    let calls = 0;
    let cancelIdle: () => void = () => undefined;

    const close = async (): Promise<void> => {
      isOver = true;
      cancelIdle();
      await closeProcess(process);
    };
    const enter = (): void => {
      calls += 1;
      cancelIdle();
    };
    const leave = (): void => {
      calls -= 1;
      if (calls === 0 && !isOver) cancelIdle = clock.after(idleMs, () => void close());
    };

    const withAbort = async <Result>(
      type: 'check' | 'discover',
      signal: AbortSignal,
    ): Promise<Result> => {
      enter();
      const abort = (): void => process.post({ type: 'abort', reading: null });
      signal.addEventListener('abort', abort, { once: true });
      try {
        return (await process.call({ type })) as Result;
      } finally {
        signal.removeEventListener('abort', abort);
        leave();
      }
    };

    let readings = 0;
    async function* read(request: ReadRequest): AsyncGenerator<ReadMessage> {
      readings += 1;
      enter();
      try {
        yield* readPages(process, readings, request);
      } finally {
        leave();
      }
    }

    enter();
    leave();
    return {
      // The process keeps the limits of the connector; this guards against the process itself.
      open: guardConnector({
        connector: parts.connector,
        isChecked: true,
        watchdog: createWatchdog(idleClock(clock)),
        clock,
        redact,
        onHang: () => {
          isOver = true;
          void process.end(new SourceError('network', 'The connector hung and was ended.'));
        },
        running: {
          check: (signal) => withAbort<SourceCheck>('check', signal),
          ...(hasFields && {
            discover: (signal: AbortSignal) =>
              withAbort<readonly SourceField[]>('discover', signal),
          }),
          read,
        },
      }),
      isOver: () => isOver || process.hasEnded(),
      close,
    };
  } catch (error) {
    throw toSourceError(error, redact);
  }
};

/** Whether the connector has a list of fields. Ends the process if the connector does not start. */
const startIn = async (
  process: ConnectorProcess,
  parts: StartParts,
  { use, url }: ConnectorModule,
): Promise<boolean> => {
  const start: ProcessStart = {
    name: parts.name,
    use,
    url,
    settings: encodeSettings(parts.settings),
    allow: parts.allow,
    ca: parts.ca,
    userAgent: parts.userAgent,
    pauses: [...(parts.pauses ?? [])],
  };
  try {
    return (await process.call({ type: 'start', start })) === true;
  } catch (error) {
    await process.end(STOPPED);
    throw error;
  }
};

const closeProcess = async ({ call, end }: ConnectorProcess): Promise<void> => {
  await withinTime(LIMITS.stop, () => call({ type: 'close' })).catch(() => undefined);
  await end(STOPPED);
};

/** The process itself ends a read that is idle, with its own count of pauses. */
const idleClock = (clock: Clock): Clock => ({ ...clock, after: () => () => undefined });

async function* readPages(
  { call, post }: ConnectorProcess,
  reading: number,
  { signal, ...request }: ReadRequest,
): AsyncGenerator<ReadMessage> {
  const abort = (): void => post({ type: 'abort', reading });
  signal.addEventListener('abort', abort, { once: true });
  try {
    await call({ type: 'read', reading, request });
    for (;;) {
      const { messages, isDone } = (await call({ type: 'next', reading })) as ProcessPage;
      yield* JSON.parse(messages) as readonly ReadMessage[];
      if (isDone) return;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    await call({ type: 'return', reading }).catch(() => undefined);
  }
}

interface ConnectorProcess {
  readonly call: (call: ProcessCall) => Promise<unknown>;
  /** Without an answer. */
  readonly post: (call: ProcessCall) => void;
  /** Ends the process; calls in flight reject with the error. Resolves when it has ended. */
  readonly end: (error: SourceError) => Promise<void>;
  readonly hasEnded: () => boolean;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const startConnectorProcess = (
  parts: StartParts,
  program: URL,
  redact: Redact,
): ConnectorProcess => {
  const { clock, state } = parts;
  const log = redactLog(parts.log, redact);
  const pending = new Map<number, Pending>();
  let calls = 0;
  let ended: SourceError | undefined;
  // Loading its modules takes longer than anything later.
  let aliveAt = clock.now() + LOADING_MS;
  let cancelWatch: () => void = () => undefined;

  const process = startProcess({
    program,
    heapMb: HEAP_MB,
    memoryMb: MEMORY_MB,
    env: variables(),
    onMessage: (message) => receive(message),
  });

  const end = async (error: SourceError): Promise<void> => {
    ended ??= error;
    cancelWatch();
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    await process.kill();
  };

  const watch = (): void => {
    const silence = clock.now() - aliveAt;
    if (silence >= SILENCE_MS && pending.size > 0)
      void end(
        new SourceError(
          'network',
          `The connector did not respond for ${SILENCE_MS / 1_000} s and was ended.`,
        ),
      );
    else if (!ended) cancelWatch = clock.after(SILENCE_MS / 10, watch);
  };
  cancelWatch = clock.after(SILENCE_MS / 10, watch);

  const answer = async (call: Extract<FromProcess, { readonly ask: number }>): Promise<void> => {
    try {
      if (call.type === 'set') await state.set(call.key, call.value);
      const value = call.type === 'get' ? await state.get(call.key) : undefined;
      send({ answer: call.ask, value });
    } catch (error) {
      send({ answer: call.ask, error: error instanceof Error ? error.message : String(error) });
    }
  };

  const send = (message: ToProcess): void => {
    if (!ended) process.send(message);
  };

  const receive = (given: unknown): void => {
    aliveAt = clock.now();
    const { data: message } = FROM_PROCESS.safeParse(given);
    if (!message) {
      void end(
        new SourceError('schema', "The connector's process sent a message of no known form."),
      );
      return;
    }
    switch (message.type) {
      case 'alive':
        return;
      case 'log':
        log[message.level](message.fields, message.message);
        return;
      case 'pause':
        parts.pauses?.set(message.host, message.until);
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
  };

  void process.ended.then(({ isMemory, notes }) => {
    if (ended) return;
    log.warn({ notes }, 'the process of a connector ended');
    void end(
      isMemory
        ? new SourceError('config', `The connector needs more than ${HEAP_MB} MiB of memory.`)
        : new SourceError('network', "The connector's process ended."),
    );
  });

  return {
    call: (call) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(ended);
          return;
        }
        calls += 1;
        // Silence counts from now on: an idle process has nothing to answer.
        if (pending.size === 0) aliveAt = Math.max(aliveAt, clock.now());
        pending.set(calls, { resolve, reject });
        send({ id: calls, call });
      }),
    post: (call) => send({ id: 0, call }),
    end,
    hasEnded: () => ended !== undefined,
  };
};

const variables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    SHARED_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

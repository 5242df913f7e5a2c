import { withinTime } from '../../process/timers.js';
import type { Clock } from '../contract/clock.js';
import {
  type ReadMessage,
  type ReadRequest,
  SourceError,
  type SourceCheck,
  type SourceField,
} from '../contract/connector-contract.js';
import type { PluginLog } from '../contract/extension.js';
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
  let redact: Redact = (text) => text;
  try {
    redact = redactFor(parts);
    const process = new ConnectorProcess(parts, module.program, redact);
    const hasFields = await startIn(process, parts, module);
    return openIn(process, { parts, redact, hasFields, idleMs });
  } catch (error) {
    throw toSourceError(error, redact);
  }
};

interface OpenParts {
  readonly parts: StartParts;
  readonly redact: Redact;
  readonly hasFields: boolean;
  readonly idleMs: number;
}

/** The connector in its process, which is closed after it has been without a call for `idleMs`. */
const openIn = (
  process: ConnectorProcess,
  { parts: { clock, connector }, redact, hasFields, idleMs }: OpenParts,
): Started => {
  let isOver = false;
  let calls = 0;
  let readings = 0;
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
  const call = async <Result>(type: 'check' | 'discover', signal: AbortSignal): Promise<Result> => {
    enter();
    const endAbort = process.passAbort(signal, null);
    try {
      return (await process.call({ type })) as Result;
    } finally {
      endAbort();
      leave();
    }
  };
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
      connector,
      isChecked: true,
      watchdog: createWatchdog(idleClock(clock)),
      clock,
      redact,
      onHang: () => {
        isOver = true;
        void process.end(new SourceError('network', 'The connector hung and was ended.'));
      },
      running: {
        check: (signal) => call<SourceCheck>('check', signal),
        ...(hasFields && {
          discover: (signal: AbortSignal) => call<readonly SourceField[]>('discover', signal),
        }),
        read,
      },
    }),
    isOver: () => isOver || process.hasEnded,
    close,
  };
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

const closeProcess = async (process: ConnectorProcess): Promise<void> => {
  await withinTime(LIMITS.stop, () => process.call({ type: 'close' })).catch(() => undefined);
  await process.end(STOPPED);
};

/** The process itself ends a read that is idle, with its own count of pauses. */
const idleClock = (clock: Clock): Clock => ({ ...clock, after: () => () => undefined });

async function* readPages(
  process: ConnectorProcess,
  reading: number,
  { signal, ...request }: ReadRequest,
): AsyncGenerator<ReadMessage> {
  const endAbort = process.passAbort(signal, reading);
  try {
    await process.call({ type: 'read', reading, request });
    for (;;) {
      const { messages, isDone } = (await process.call({ type: 'next', reading })) as ProcessPage;
      yield* JSON.parse(messages) as readonly ReadMessage[];
      if (isDone) return;
    }
  } finally {
    endAbort();
    await process.call({ type: 'return', reading }).catch(() => undefined);
  }
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The process of a connector, and its calls. Every call is settled: by an answer, or once the process has
 * ended, which it does at the latest when it has been silent for too long while a call is in flight.
 */
class ConnectorProcess {
  private readonly log: PluginLog;
  private readonly process: ReturnType<typeof startProcess>;
  private readonly pending = new Map<number, Pending>();
  private calls = 0;
  private ended: SourceError | undefined;
  private aliveAt: number;
  private cancelWatch: () => void;

  constructor(
    private readonly parts: StartParts,
    program: URL,
    redact: Redact,
  ) {
    const { clock } = parts;
    this.log = redactLog(parts.log, redact);
    // Loading its modules takes longer than anything later.
    this.aliveAt = clock.now() + LOADING_MS;
    this.process = startProcess({
      program,
      heapMb: HEAP_MB,
      memoryMb: MEMORY_MB,
      env: variables(),
      onMessage: (message) => this.receive(message),
    });
    this.cancelWatch = clock.after(SILENCE_MS / 10, () => this.watch());
    void this.process.ended.then(({ isMemory, notes }) => {
      if (this.ended) return;
      this.log.warn({ notes }, 'the process of a connector ended');
      void this.end(
        isMemory
          ? new SourceError('config', `The connector needs more than ${HEAP_MB} MiB of memory.`)
          : new SourceError('network', "The connector's process ended."),
      );
    });
  }

  get hasEnded(): boolean {
    return this.ended !== undefined;
  }

  call(call: ProcessCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.ended) {
        reject(this.ended);
        return;
      }
      this.calls += 1;
      // Silence counts from now on: an idle process has nothing to answer.
      if (this.pending.size === 0) this.aliveAt = Math.max(this.aliveAt, this.parts.clock.now());
      this.pending.set(this.calls, { resolve, reject });
      this.send({ id: this.calls, call });
    });
  }

  /** Passes an abort of the signal on; returns a function that ends this. */
  passAbort(signal: AbortSignal, reading: number | null): () => void {
    const abort = (): void => this.send({ id: 0, call: { type: 'abort', reading } });
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  }

  /** Ends the process; calls in flight reject with the error. Resolves when it has ended. */
  async end(error: SourceError): Promise<void> {
    this.ended ??= error;
    this.cancelWatch();
    for (const { reject } of this.pending.values()) reject(this.ended);
    this.pending.clear();
    await this.process.kill();
  }

  private watch(): void {
    const { clock } = this.parts;
    if (clock.now() - this.aliveAt >= SILENCE_MS && this.pending.size > 0)
      void this.end(
        new SourceError(
          'network',
          `The connector did not respond for ${SILENCE_MS / 1_000} s and was ended.`,
        ),
      );
    else if (!this.ended) this.cancelWatch = clock.after(SILENCE_MS / 10, () => this.watch());
  }

  private send(message: ToProcess): void {
    if (!this.ended) this.process.send(message);
  }

  private receive(given: unknown): void {
    this.aliveAt = this.parts.clock.now();
    const { data: message } = FROM_PROCESS.safeParse(given);
    switch (message?.type) {
      case undefined:
        void this.end(
          new SourceError('schema', "The connector's process sent a message of no known form."),
        );
        return;
      case 'alive':
        return;
      case 'log':
        this.log[message.level](message.fields, message.message);
        return;
      case 'pause':
        this.parts.pauses?.set(message.host, message.until);
        return;
      case 'get':
      case 'set':
        void this.answer(message);
        return;
      case 'result':
        this.pending.get(message.id)?.resolve(message.value);
        break;
      case 'error':
        this.pending.get(message.id)?.reject(fromPlain(message.error));
        break;
    }
    this.pending.delete(message.id);
  }

  private async answer(call: Extract<FromProcess, { readonly ask: number }>): Promise<void> {
    const { state } = this.parts;
    try {
      if (call.type === 'set') await state.set(call.key, call.value);
      const value = call.type === 'get' ? await state.get(call.key) : undefined;
      this.send({ answer: call.ask, value });
    } catch (error) {
      this.send({
        answer: call.ask,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

const variables = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    SHARED_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

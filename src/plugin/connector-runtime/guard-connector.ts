import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import {
  type Connector,
  type ReadMessage,
  SourceError,
  type RunningConnector,
  type SourceField,
  type OpenConnector,
} from '../contract/connector-contract.js';
import { excessOf } from '../contract/value-size.js';
import { ConfigError } from '../../../config/config-error.js';
import type { Clock } from '../contract/clock.js';
import { MAX_RETRY_AFTER_MS } from '../contract/http-sender.js';
import type { Redact } from './redact.js';
import type { Watchdog } from './watchdog.js';

/** A record as it is read; of most, only a few fields are kept. Cursors have the same limits. */
const MESSAGE_LIMITS = { bytes: 1_048_576, values: 10_000, depth: 32 };

const id = z.string().min(1).max(200);
const cursor = z.custom<JsonValue>((value) => value !== undefined);

const Message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('record'),
    id,
    data: z.custom<JsonObject>(isObject),
    alternatives: z.record(z.string(), z.array(z.string())).optional(),
  }),
  z.object({ type: z.literal('tombstone'), id }),
  z.object({ type: z.literal('checkpoint'), cursor }),
  z.object({ type: z.literal('recordError'), id: id.optional(), message: z.string() }),
  z.object({
    type: z.literal('complete'),
    cursor,
    total: z.int().min(0).optional(),
    snapshot: z.string().min(1).max(500).optional(),
    takenAt: z.iso.datetime().optional(),
  }),
]);

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A message as the connector declares it. A record that is too large, or does not match `record`,
 * becomes a recordError; a message of another form is an error of the connector, which ends the read.
 * `record`: null if the records were compared with it before.
 */
const checkMessage = (record: Connector['record'] | null, given: unknown): ReadMessage => {
  const { data: message, error } = Message.safeParse(given);
  if (!message)
    throw new SourceError(
      'schema',
      `The connector yielded a malformed message: ${error.issues[0]?.path.join('.') ?? ''} ` +
        `${error.issues[0]?.message ?? ''}.`,
    );
  if ('cursor' in message) requireSmallCursor(message.cursor);
  if (message.type !== 'record') return message as ReadMessage;
  const { id, data } = message;
  const excess = excessOf(data, MESSAGE_LIMITS);
  if (excess !== undefined) return { type: 'recordError', id, message: `The record ${excess}.` };
  if (!record) return message;
  const result = record.safeParse(data);
  if (result.success) return { ...message, data: result.data };
  const [issue] = result.error.issues;
  return {
    type: 'recordError',
    id,
    message: `${issue?.path.join('.') ?? 'The record'}: ${issue?.message ?? 'is malformed'}`,
  };
};

const requireSmallCursor = (cursor: JsonValue): void => {
  const excess = excessOf(cursor, MESSAGE_LIMITS);
  if (excess !== undefined) throw new SourceError('schema', `A cursor of the connector ${excess}.`);
};

/** Time limits of a connector, in milliseconds. */
export const LIMITS = {
  start: 10_000,
  check: 30_000,
  /** Without any message, response or requested pause. */
  idle: 120_000,
  /** For a read to end after an abort. */
  end: 1_000,
  stop: 5_000,
} as const;

/** In characters: a source can fill a message. */
const MAX_MESSAGE = 2_000;
const MAX_FIELD = 200;
/** Of `discover`. */
const MAX_FIELDS = 5_000;

interface GuardParts {
  readonly connector: Connector;
  readonly running: RunningConnector;
  readonly watchdog: Watchdog;
  readonly clock: Clock;
  readonly redact: Redact;
  /** The records were compared with `record` before. */
  readonly isChecked?: true;
  /** The connector did not end what it had to end. */
  readonly onHang: () => void;
}

/** Time limits, checks and one kind of error around a started connector. */
export const guardConnector = (parts: GuardParts): OpenConnector => {
  const { running, clock, redact, onHang } = parts;

  const limited = async <Result>(
    what: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const limit = new AbortController();
    const late = new SourceError('network', `${what} took longer than ${LIMITS.check / 1_000} s.`);
    let cancel: () => void = () => undefined;
    const over = new Promise<never>((_done, fail) => {
      cancel = clock.after(LIMITS.check, () => {
        fail(late);
        limit.abort(late);
      });
    });
    try {
      return await Promise.race([work(AbortSignal.any([signal, limit.signal])), over]);
    } catch (error) {
      if (error === late) onHang();
      throw toSourceError(error, redact);
    } finally {
      cancel();
    }
  };

  const { discover } = running;
  return {
    check: async (signal) => {
      try {
        const result = await limited('The check', signal, running.check);
        return { ...result, message: shorten(redact(result.message)) };
      } catch (error) {
        const { kind, message } = error as SourceError;
        return { ok: false, kind, message };
      }
    },
    ...(discover && {
      discover: async (signal: AbortSignal) =>
        (await limited('Reading the fields', signal, discover))
          .slice(0, MAX_FIELDS)
          .map(smallField),
    }),
    read: (request) => readGuarded(parts, request),
  };
};

async function* readGuarded(
  { connector, running, watchdog, clock, redact, isChecked, onHang }: GuardParts,
  request: Parameters<RunningConnector['read']>[0],
): AsyncGenerator<ReadMessage> {
  const { signal } = request;
  signal.throwIfAborted();
  const hanging = new AbortController();
  let reject: ((error: Error) => void) | undefined;
  let cancelEnd: () => void = () => undefined;
  const give = (error: Error): void => {
    onHang();
    hanging.abort(error);
    reject?.(error);
  };
  const unwatch = watchdog.watch(LIMITS.idle, () =>
    give(
      new SourceError(
        'network',
        `The source sent nothing for ${LIMITS.idle / 1_000} s; the read was ended.`,
      ),
    ),
  );
  const onAbort = (): void => {
    cancelEnd = clock.after(LIMITS.end, () => give(signal.reason as Error));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let iterator: AsyncIterator<ReadMessage> | undefined;
  let hasEnded = false;
  try {
    const messages = running.read({
      ...request,
      signal: AbortSignal.any([signal, hanging.signal]),
    });
    iterator = messages[Symbol.asyncIterator]();
    for (;;) {
      const source = iterator;
      // Not a race: that would keep every message's promise until the read ends.
      const next = await new Promise<IteratorResult<ReadMessage>>((done, fail) => {
        reject = fail;
        source.next().then(done, fail);
      });
      watchdog.touch();
      signal.throwIfAborted();
      if (next.done) {
        hasEnded = true;
        return;
      }
      const message = checkMessage(isChecked ? null : connector.record, next.value);
      const wasHeld = watchdog.hold();
      try {
        yield message.type === 'recordError'
          ? { ...message, message: shorten(redact(message.message)) }
          : message;
      } finally {
        wasHeld();
      }
      if (message.type === 'complete') return;
    }
  } catch (error) {
    hasEnded = true;
    signal.throwIfAborted();
    throw toSourceError(error, redact);
  } finally {
    unwatch();
    cancelEnd();
    signal.removeEventListener('abort', onAbort);
    if (!hasEnded) await endWithin(iterator, { clock, hanging, onHang });
  }
}

/** Lets the connector's own `finally` run, but not for long. */
const endWithin = async (
  iterator: AsyncIterator<ReadMessage> | undefined,
  {
    clock,
    hanging,
    onHang,
  }: Pick<GuardParts, 'clock' | 'onHang'> & { readonly hanging: AbortController },
): Promise<void> => {
  if (!iterator?.return) return;
  const ended = iterator.return().then(
    () => undefined,
    () => undefined,
  );
  let cancel: () => void = () => undefined;
  const late = new Promise<void>((done) => {
    cancel = clock.after(LIMITS.end, () => {
      onHang();
      done();
    });
  });
  hanging.abort(new Error('The read has ended.'));
  await Promise.race([ended, late]);
  cancel();
};

const shorten = (text: string): string => text.slice(0, MAX_MESSAGE);

const smallField = ({ path, title, type }: SourceField): SourceField => ({
  path: path.slice(0, MAX_FIELD),
  ...(title !== undefined && { title: title.slice(0, MAX_FIELD) }),
  ...(type !== undefined && { type: type.slice(0, MAX_FIELD) }),
});

/** Any error of a connector, with a message that may be shown. */
export const toSourceError = (error: unknown, redact: Redact): SourceError => {
  if (error instanceof SourceError)
    return new SourceError(error.kind, shorten(redact(error.message)), {
      ...retryOf(error.options.retryAfterMs),
    });
  const message = shorten(error instanceof Error ? error.message : String(error));
  if (error instanceof ConfigError) return new SourceError('config', redact(message));
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && NETWORK_CODE.test(code)
    ? new SourceError('network', redact(message))
    : new SourceError('schema', redact(`The connector failed: ${message}`));
};

/** Of any number that a connector passes on. */
const retryOf = (ms: number | undefined): { readonly retryAfterMs?: number } =>
  ms === undefined || Number.isNaN(ms)
    ? {}
    : { retryAfterMs: Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) };

const NETWORK_CODE = /^(E[A-Z]+|EAI_|UND_ERR_|HPE_)/;

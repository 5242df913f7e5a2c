import type { ServerResponse, IncomingMessage } from 'node:http';
import type { ServerSentEvent } from '../routes/route.js';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createYielder } from '../pipeline/loop-scheduler.js';
import { etagOf } from './conditional.js';
import { clientOf, closeSignalOf, contextOf, ownerOf } from './request-context.js';

interface EventStream {
  readonly events: AsyncIterable<ServerSentEvent>;
  /** Ends the response. */
  readonly signal: AbortSignal;
}

/** Often enough that no proxy takes the connection for dead, in milliseconds. */
const HEARTBEAT_MS = 15_000;
/** A client that accepts no data for this time is disconnected, in milliseconds. */
const IDLE_MS = 60_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer would hold events back.
  'X-Accel-Buffering': 'no',
} as const;

/** In the form of WHATWG HTML, 9.2.6; JSON holds no line break. */
const textOf = ({ id, event, data }: ServerSentEvent): string =>
  [
    ...(id === undefined ? [] : [`id: ${oneLine(id)}`]),
    ...(event === undefined ? [] : [`event: ${oneLine(event)}`]),
    `data: ${JSON.stringify(data)}`,
    '\n',
  ].join('\n');

const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, ' ');

/** Resolves when the client takes more; rejects with nothing, for one that is gone is seen elsewhere. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.once('drain', end).once('close', end);
  });

/**
 * Sends server-sent events until they end, the client is gone, or the signal aborts; as fast as the
 * client takes them, with a comment now and then.
 *
 * @internal
 */
export const sendStream = async (
  response: ServerResponse,
  { events, signal }: EventStream,
): Promise<void> => {
  response.writeHead(200, HEADERS);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  response.setTimeout(IDLE_MS, () => response.destroy());
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
  const source = events[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([source.next(), aborted]);
      if (next === undefined || next.done === true || response.destroyed) break;
      if (!response.write(textOf(next.value))) await drained(response);
    }
  } finally {
    clearInterval(heartbeat);
    // It may never settle: a stream that ignores the signal is left behind.
    void source.return?.().catch(() => undefined);
    response.end();
  }
};

/** A response that is not sent yet. */
export interface HttpResponse {
  readonly status: number;
  /** A JSON value; absent: no body. */
  readonly body?: unknown;
  /** In place of `body`: its text, produced while it is sent. */
  readonly chunks?: AsyncIterable<string>;
  /** The media type of `chunks`, if it is not that of the interface. */
  readonly type?: string;
  /** In place of `body`: server-sent events, until they end or the signal aborts. */
  readonly stream?: EventStream;
  /** Version of the single resource in the body, sent as `ETag`. */
  readonly version?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

const isDisconnect = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

const sendText = (response: ServerResponse, status: number, type: string, text: string): void => {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': length }).end(text);
};

/** Entries that are written at once: a few milliseconds of work. */
const SLICE = 100;

/** The JSON text of a body. A long list in it is written in slices, between which other work can run. */
const jsonOf = async (body: unknown, response: ServerResponse): Promise<string> => {
  const fields = Object.entries(body as object);
  const long = fields.find(([, value]) => Array.isArray(value) && value.length > SLICE);
  if (!long || Array.isArray(body)) return JSON.stringify(body);
  const list = long[1] as readonly unknown[];
  const yieldIfDue = createYielder(ownerOf(response.req));
  const slices: string[] = [];
  for (let at = 0; at < list.length; at += SLICE) {
    slices.push(JSON.stringify(list.slice(at, at + SLICE)).slice(1, -1));
    await yieldIfDue();
  }
  const texts = fields
    .map(([name, value]) => [name, value === list ? `[${slices.join()}]` : JSON.stringify(value)])
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${texts.join()}}`;
};

const readInTurn = (
  chunks: AsyncIterator<string>,
  request: IncomingMessage,
): Promise<IteratorResult<string>> =>
  contextOf(request).longResponses.read(ownerOf(request), closeSignalOf(request), () =>
    chunks.next(),
  );

/** The chunks that were read ahead, then the rest as it is the turn of the client. */
async function* resume(
  ahead: readonly string[],
  rest: AsyncIterator<string>,
  request: IncomingMessage,
): AsyncGenerator<string> {
  yield* ahead;
  for (;;) {
    const next = await readInTurn(rest, request);
    if (next.done) return;
    yield next.value;
  }
}

/**
 * Sends a body in chunks, no faster than the client reads it; with its length if there is only one.
 * A failure before the first chunk becomes an error response; a later one breaks the connection, so
 * that the client does not take the part for the whole.
 */
const sendChunks = async (
  response: ServerResponse,
  status: number,
  type: string,
  chunks: AsyncIterable<string>,
): Promise<void> => {
  const source = chunks[Symbol.asyncIterator]();
  const { longResponses, log } = contextOf(response.req);
  const client = clientOf(response.req);
  let release: (() => void) | undefined;
  try {
    const first = await source.next();
    // A client at its limit, which may well be refused, does not read ahead of its other responses.
    const second = longResponses.isFull(client)
      ? await readInTurn(source, response.req)
      : await source.next();
    if (first.done || second.done) {
      sendText(response, status, type, first.done ? '' : first.value);
      return;
    }
    if (response.req.method === 'HEAD') {
      response.writeHead(status, { 'Content-Type': type }).end();
      return;
    }
    release = longResponses.open(client);
    response.writeHead(status, { 'Content-Type': type });
    response.setTimeout(IDLE_MS, () => response.destroy());
    const chunks = resume([first.value, second.value], source, response.req);
    const body = Readable.from(chunks, { highWaterMark: 1 });
    await pipeline(body, response);
  } catch (error) {
    if (!isDisconnect(error)) throw error;
    log.debug({}, 'client disconnected during the response');
  } finally {
    release?.();
    // The source of a client that left holds a cursor of the database.
    void source.return?.().catch(() => undefined);
  }
};

/** Sends a response with this media type. */
export const sendResponse = async (
  response: ServerResponse,
  mediaType: string,
  { status, body, chunks, type = mediaType, stream, version, headers = {} }: HttpResponse,
): Promise<void> => {
  if (version !== undefined) response.setHeader('ETag', etagOf(version));
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (stream) await sendStream(response, stream);
  else if (chunks) await sendChunks(response, status, type, chunks);
  else if (body === undefined) response.writeHead(status).end();
  else sendText(response, status, mediaType, await jsonOf(body, response));
};

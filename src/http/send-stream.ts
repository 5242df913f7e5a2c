import type { ServerResponse } from 'node:http';
import type { ServerSentEvent } from '../api/route.js';

export interface EventStream {
  readonly events: AsyncIterable<ServerSentEvent>;
  /** Ends the response. */
  readonly signal: AbortSignal;
}

/** Often enough that no proxy takes the connection for dead, in milliseconds. */
const HEARTBEAT_MS = 15_000;
/** A client that takes nothing for so long is given up. */
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

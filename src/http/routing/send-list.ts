import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { StreamedList } from '../../api/route.js';
import { writeList } from './write-list.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** A client that takes nothing for so long is given up, in milliseconds. */
const IDLE_MS = 60_000;

const hasGone = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

const sendWhole = (response: Response, status: number, text: string): void => {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': JSON_TYPE, 'Content-Length': length }).end(text);
};

/** The chunks that were read ahead, then the rest. */
const resume = (ahead: readonly string[], rest: AsyncIterator<string>): AsyncIterable<string> => {
  const queue = [...ahead];
  // Not a generator: ended before its first chunk, it would leave the source, and with it a cursor of
  // the database, open.
  const iterator: AsyncIterator<string> = {
    next: () => {
      const value = queue.shift();
      return value === undefined ? rest.next() : Promise.resolve({ done: false, value });
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
};

/** The pieces go out as fast as the client takes them; nothing is read ahead of it. */
const sendPieces = async (response: Response, pieces: AsyncIterable<string>): Promise<void> => {
  response.setTimeout(IDLE_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(pieces, { highWaterMark: 1 }), response);
  } catch (error) {
    if (!hasGone(error)) throw error;
  }
};

/**
 * Sends a list that may be long. One that fits into a piece goes out as any other body, with its
 * length; a longer one in chunks. A fault before the first piece is an ordinary refusal; one after
 * it breaks the connection off, so that nobody takes a part for the whole.
 */
export const sendList = async (
  response: Response,
  status: number,
  list: StreamedList,
): Promise<void> => {
  const pieces = writeList(list);
  const [first, second] = [await pieces.next(), await pieces.next()];
  if (first.done || second.done) {
    sendWhole(response, status, first.done ? '' : first.value);
    return;
  }
  response.writeHead(status, { 'Content-Type': JSON_TYPE });
  if (response.req.method === 'HEAD') {
    await pieces.return(undefined);
    response.end();
    return;
  }
  await sendPieces(response, resume([first.value, second.value], pieces));
};

import type { IncomingMessage } from 'node:http';
import { refuse, RefusalError } from '../../domain/refusals.js';
import { drainInTurns } from '../drain-in-turns.js';
import type { BodyShare } from './body-budget.js';

const tooLarge = (limit: number): RefusalError =>
  new RefusalError(
    refuse('PAYLOAD_TOO_LARGE', `The body exceeds ${limit} bytes. Split it into several requests.`),
  );

export const incompleteBody = (): RefusalError =>
  new RefusalError(
    refuse('INVALID_REQUEST', 'The body is incomplete: the connection ended before its end.'),
  );

/** Whether the request announces a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** How long the body is to be; undefined where it comes in chunks (RFC 9112, 6.3). */
export const announcedLength = ({ headers }: IncomingMessage): number | undefined => {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

/** What a body in chunks begins with. */
const FIRST_BYTES = 16 * 1024;

interface CollectOptions {
  /** In bytes. */
  readonly limit: number;
  readonly share: BodyShare;
}

/**
 * Refuses a body by what its request says of it, before any of it is read: with PAYLOAD_TOO_LARGE,
 * or with UNAVAILABLE where there is no room for it.
 */
export const admitBody = (request: IncomingMessage, { limit, share }: CollectOptions): void => {
  const announced = announcedLength(request);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  share.growTo(announced ?? Math.min(FIRST_BYTES, limit));
};

/**
 * Bytes in one buffer that grows as they come. A list of chunks would let a client that sends single
 * bytes have an object made of each: eight million for a body of 8 MiB.
 */
const growingBuffer = (first: number, { limit, share }: CollectOptions) => {
  let bytes = Buffer.allocUnsafe(first);
  let size = 0;

  const grow = (needed: number): void => {
    const capacity = Math.min(limit, Math.max(needed, 2 * bytes.length));
    share.growTo(capacity);
    const larger = Buffer.allocUnsafe(capacity);
    bytes.copy(larger, 0, 0, size);
    bytes = larger;
  };

  return {
    add: (chunk: Buffer): void => {
      const needed = size + chunk.length;
      if (needed > limit) throw tooLarge(limit);
      if (needed > bytes.length) grow(needed);
      chunk.copy(bytes, size);
      size = needed;
    },
    whole: (): Uint8Array => bytes.subarray(0, size),
  };
};

/**
 * The bytes of a body that was admitted, at most `limit`. A longer one is refused as soon as that is
 * known; what still comes is dropped unread, so that the client can read the answer instead of a
 * reset connection. (The server's time limit ends clients that do not stop.)
 */
export const collectBody = (
  request: IncomingMessage,
  options: CollectOptions,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const buffer = growingBuffer(announcedLength(request) ?? 0, options);
    const take = (chunk: Buffer): void => {
      try {
        buffer.add(chunk);
      } catch (error) {
        request.removeListener('data', take);
        drainInTurns(request);
        reject(error instanceof Error ? error : incompleteBody());
      }
    };
    request.on('data', take);
    request.once('end', () => resolve(buffer.whole()));
    request.once('error', () => reject(incompleteBody()));
    request.once('close', () => {
      if (!request.readableEnded) reject(incompleteBody());
    });
  });

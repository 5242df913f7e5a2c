import type { IncomingMessage } from 'node:http';
import { refuse, RefusalError } from '../../domain/kernel/refusals.js';
import { discardBody } from '../discard-body.js';
import type { BodyReservation } from './body-budget.js';

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

/** Content-Length; undefined for a chunked body (RFC 9112, 6.3). */
export const announcedLength = ({ headers }: IncomingMessage): number | undefined => {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

/** Initial reservation for a chunked body. */
const INITIAL_BYTES = 16 * 1024;

interface CollectOptions {
  /** In bytes. */
  readonly limit: number;
  readonly reservation: BodyReservation;
}

/**
 * Reserves memory for a body before it is read. Throws PAYLOAD_TOO_LARGE, or UNAVAILABLE if no
 * memory is available.
 */
export const admitBody = (
  request: IncomingMessage,
  { limit, reservation }: CollectOptions,
): void => {
  const announced = announcedLength(request);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  reservation.growTo(announced ?? Math.min(INITIAL_BYTES, limit));
};

/**
 * One buffer that grows. A list of chunks would cost an object per chunk, and a client that sends
 * single bytes would create eight million of them with 8 MiB.
 */
const growingBuffer = (first: number, { limit, reservation }: CollectOptions) => {
  let bytes = Buffer.allocUnsafe(first);
  let size = 0;

  const grow = (needed: number): void => {
    const capacity = Math.min(limit, Math.max(needed, 2 * bytes.length));
    reservation.growTo(capacity);
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
 * Reads a body of at most `limit` bytes. A longer one is refused as soon as that is known, and the
 * rest is discarded, so that the client can read the response instead of seeing a connection reset.
 * The server's request timeout ends clients that do not stop.
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
        discardBody(request);
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

import type { IncomingMessage } from 'node:http';
import { refuse, RefusalError } from '../../domain/refusals.js';

const tooLarge = (limit: number): RefusalError =>
  new RefusalError(
    refuse('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes; send less at once.`),
  );

const incomplete = (): RefusalError =>
  new RefusalError(
    refuse('INVALID_REQUEST', 'The body ended before it was complete; send it again.'),
  );

/** Whether the request announces a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * The bytes of the body, at most `limit`. A longer one is refused as soon as that is known; what
 * still comes is dropped unread, so that the client can read the answer instead of a reset
 * connection. (The server's time limit ends whoever does not stop.)
 */
export const collectBody = (request: IncomingMessage, limit: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuseSize = (): void => {
      request.removeListener('data', take);
      request.resume();
      reject(tooLarge(limit));
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) refuseSize();
      else chunks.push(chunk);
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) refuseSize();
    else request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks, size)));
    request.once('error', () => reject(incomplete()));
    request.once('close', () => {
      if (!request.readableEnded) reject(incomplete());
    });
  });

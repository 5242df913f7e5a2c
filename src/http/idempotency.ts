import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { raise } from '../domain/kernel/refusals.js';
import type { Idempotency } from '../domain/kernel/stored-response.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const KEY_FORM = 'must be 1 to 255 printable ASCII characters without spaces, sent once';

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * The Idempotency-Key of a request, valid for one API key, method, path and body (decisions.md 3).
 * Undefined if the request has none.
 */
export const readIdempotency = (
  request: Request,
  keyId: string,
  body: unknown,
): Idempotency | undefined => {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !KEY.test(given))
    return raise('INVALID_REQUEST', `The header Idempotency-Key ${KEY_FORM}.`, {
      details: [{ path: 'Idempotency-Key', message: KEY_FORM }],
    });
  const path = request.originalUrl.split('?', 1)[0] ?? '';
  return {
    id: digest(keyId, request.method, path, given),
    // Includes the key, which is stored nowhere: the digest of a short body, such as a phone
    // number, could be guessed.
    fingerprint: digest(given, JSON.stringify(body)),
  };
};

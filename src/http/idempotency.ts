import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { raise } from '../domain/refusals.js';
import type { Idempotency } from '../domain/remembered-answer.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const KEY_FORM = 'must be 1 to 255 printable ASCII characters without spaces, sent once';

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/**
 * What the Idempotency-Key of a request stands for: it counts for one API key, method and path, and
 * for one body (decisions.md 3). Undefined where the request has none.
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
    // The key goes into it, for a body may hold so little (a phone number) that its plain digest
    // could be guessed from; the key itself is kept nowhere.
    fingerprint: digest(given, JSON.stringify(body)),
  };
};

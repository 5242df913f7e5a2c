import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { JsonObject } from '../../domain/json.js';
import { type Refusal, RefusalError } from '../../domain/refusals.js';
import { scimErrorBody, scimStatusOf } from '../../scim/error-body.js';
import { refusalHeadersOf, refusalOf } from '../errors.js';
import { UNAUTHENTICATED } from '../middleware/refuse-credentials.js';
import { contextOf } from '../request-context.js';
import { openedOf } from './open-request.js';

/** Exactly the media type of RFC 7644, 8.1; express would add a charset, which it has not. */
const MEDIA_TYPE = 'application/scim+json';

const sendJson = (response: Response, body: unknown): Response => {
  const text = JSON.stringify(body);
  response.writeHead(response.statusCode, {
    'Content-Type': MEDIA_TYPE,
    'Content-Length': Buffer.byteLength(text),
  });
  return response.end(text);
};

export const sendScim = (response: Response, status: number, body: JsonObject): void => {
  sendJson(response.status(status), body);
};

/**
 * Has the library's router answer in our way: in the media type of SCIM, and with 304 where the
 * client holds the resource already.
 */
export const speakScim: RequestHandler = (request, response, next) => {
  response.json = (body) =>
    openedOf(request).isHeld ? response.status(304).end() : sendJson(response, body);
  next();
};

/** To its clients a tenant that was deleted has never been (pipeline-rules.md 14). */
const hideDeletedTenant = (error: unknown): unknown =>
  error instanceof RefusalError && error.refusal.code === 'TENANT_NOT_FOUND'
    ? new RefusalError(UNAUTHENTICATED)
    : error;

const sendRefusal = (response: Response, refusal: Refusal): void => {
  response.set(refusalHeadersOf(refusal));
  response.set('Cache-Control', 'no-store');
  response.removeHeader('ETag');
  sendScim(
    response,
    scimStatusOf(refusal),
    scimErrorBody(refusal, contextOf(response.req).requestId),
  );
};

/**
 * The last step of the SCIM interface: whatever was thrown is answered in the form of RFC 7644,
 * 3.12. The library's own step cannot say 405, 415, 429 or 503 (scimmy facts, S8), so it is gone.
 */
export const answerScimRefusal: ErrorRequestHandler = (error, request, response, _next) => {
  const refusal = refusalOf(hideDeletedTenant(error), contextOf(request).log);
  // An answer that has begun cannot be taken back: a broken connection tells the client so.
  if (response.headersSent) response.destroy();
  else sendRefusal(response, refusal);
};

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { presentPreview } from '../../api/present-preview.js';
import type { Rehearsal } from '../../api/rehearsal.js';
import { kindOf, type Refusal, RefusalError } from '../../domain/refusals.js';
import { scimErrorBody, scimStatusOf } from '../../scim/error-body.js';
import { type JsonPart, StreamedJson } from '../../scim/streamed-json.js';
import { refusalHeadersOf, refusalOf } from '../errors.js';
import { UNAUTHENTICATED } from '../middleware/refuse-credentials.js';
import { DRY_RUN, prefersDryRun } from '../prefer-dry-run.js';
import { contextOf } from '../request-context.js';
import { findOpened, openedOf } from './open-request.js';

/** Exactly the media type of RFC 7644, 8.1; express would add a charset, which it has not. */
const MEDIA_TYPE = 'application/scim+json';

const sendJson = (response: Response, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(response.statusCode, {
    'Content-Type': MEDIA_TYPE,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
};

const isClosed = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Writes as fast as the client takes it, and reads no faster. Where it breaks off the connection
 * does too, so that nobody takes the half for the whole.
 */
const sendStreamed = async (response: Response, { pieces }: StreamedJson): Promise<void> => {
  response.writeHead(response.statusCode, { 'Content-Type': MEDIA_TYPE });
  const source = Readable.from(pieces, { highWaterMark: 1 });
  if (response.req.method === 'HEAD') {
    source.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(source, response);
  } catch (error) {
    const { log } = contextOf(response.req);
    if (isClosed(error)) log.debug({}, 'client disconnected during the response');
    else log.error({ err: error }, 'response aborted');
  }
};

/** In place of the answer: what it would have been, and what else would have happened. */
const sendPreview = (
  response: Response,
  rehearsal: Rehearsal,
  untold: { readonly status: number; readonly body?: unknown },
): void => {
  response.status(200);
  if (prefersDryRun(response.req.headers)) response.setHeader('Preference-Applied', DRY_RUN);
  sendJson(response, presentPreview(untold, rehearsal.seen()));
};

/** Answers in the media type of SCIM; a request that was only tried out, with what it came to. */
export const sendScim = (response: Response, status: number, body: JsonPart | undefined): void => {
  const rehearsal = findOpened(response.req)?.rehearsal;
  if (rehearsal) sendPreview(response, rehearsal, { status, body });
  else if (body instanceof StreamedJson) void sendStreamed(response.status(status), body);
  else if (body === undefined) response.status(status).end();
  else sendJson(response.status(status), body);
};

/**
 * Has the library's router answer in our way: in the media type of SCIM, and with 304 where the
 * client holds the resource already.
 */
export const speakScim: RequestHandler = (request, response, next) => {
  response.send = (body?: JsonPart) => {
    if (openedOf(request).isHeld) response.status(304).end();
    else sendScim(response, response.statusCode, body);
    return response;
  };
  next();
};

/** To its clients a tenant that was deleted has never been (pipeline-rules.md 14). */
const hideDeletedTenant = (error: unknown): unknown =>
  error instanceof RefusalError && error.refusal.code === 'TENANT_NOT_FOUND'
    ? new RefusalError(UNAUTHENTICATED)
    : error;

/** What says nothing of the request: that there is no telling now, or that its tenant is gone. */
const isOutside = (refusal: Refusal): boolean =>
  ['busy', 'broken', 'unauthenticated'].includes(kindOf(refusal));

/**
 * Whether only the RFC's attributes may be told. Whoever is refused for their key gets the same as
 * everybody without one, or it would show that the tenant exists.
 */
const isStrict = (request: Request, refusal: Refusal): boolean =>
  kindOf(refusal) !== 'unauthenticated' &&
  contextOf(request).caller?.tenant.scim.strictErrors === true;

const sendRefusal = (response: Response, refusal: Refusal): void => {
  const context = contextOf(response.req);
  const form = { requestId: context.requestId, isStrict: isStrict(response.req, refusal) };
  const [status, body] = [scimStatusOf(refusal), scimErrorBody(refusal, form)];
  const rehearsal = findOpened(response.req)?.rehearsal;
  if (rehearsal && !isOutside(refusal)) {
    sendPreview(response, rehearsal, { status, body });
    return;
  }
  context.refusal = refusal;
  response.set(refusalHeadersOf(refusal, response.req));
  response.set('Cache-Control', 'no-store');
  response.removeHeader('ETag');
  sendJson(response.status(status), body);
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

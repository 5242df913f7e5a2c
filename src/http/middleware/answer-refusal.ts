import type { ErrorRequestHandler, Response } from 'express';
import type { Refusal } from '../../domain/refusals.js';
import { errorBodyOf, refusalHeadersOf, refusalOf, statusOf } from '../errors.js';
import { contextOf } from '../request-context.js';

/** Sends a refusal in the native form. */
const sendRefusal = (response: Response, refusal: Refusal): void => {
  const context = contextOf(response.req);
  context.refusal = refusal;
  const body = JSON.stringify(errorBodyOf(refusal, context.requestId));
  response.writeHead(statusOf(refusal), {
    ...refusalHeadersOf(refusal, response.req),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
};

/** The last step of the native and the operators' API: whatever was thrown becomes an answer. */
export const answerRefusal: ErrorRequestHandler = (error, request, response, _next) => {
  const refusal = refusalOf(error, contextOf(request).log);
  // An answer that has begun cannot be taken back: a broken connection tells the client so.
  if (response.headersSent) response.destroy();
  else sendRefusal(response, refusal);
};

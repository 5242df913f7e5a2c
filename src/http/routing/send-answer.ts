import type { Request, Response } from 'express';
import type { RouteAnswer } from '../../api/route.js';
import { raise } from '../../domain/refusals.js';
import { etagOf, isHeldByClient, meetsIfMatch } from '../conditional.js';
import { sendList } from './send-list.js';
import { sendStream } from './send-stream.js';

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** A read with If-Match wants this version and no other; for changes the decider sees to it. */
const requireVersion = (request: Request, version: number): void => {
  if (isRead(request) && !meetsIfMatch(request.headers, version)) {
    raise(
      'PRECONDITION_FAILED',
      'The resource has changed since you read it. Read it again and retry.',
    );
  }
};

const sendBody = (response: Response, status: number, body: unknown): void => {
  if (body === undefined) {
    response.writeHead(status).end();
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
};

/** Writes what a handler answered: headers, entity tag, 304 where the client has it already. */
export const sendAnswer = async (
  request: Request,
  response: Response,
  { answer, signal }: { readonly answer: RouteAnswer; readonly signal: () => AbortSignal },
): Promise<void> => {
  const { status, body, list, stream, version, headers = {} } = answer;
  if (version !== undefined) {
    requireVersion(request, version);
    response.setHeader('ETag', etagOf(version));
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const isKnown =
    version !== undefined && isRead(request) && isHeldByClient(request.headers, version);
  if (isKnown) response.writeHead(304).end();
  else if (stream) await sendStream(response, stream, signal());
  else if (list) await sendList(response, status, list);
  else sendBody(response, status, body);
};

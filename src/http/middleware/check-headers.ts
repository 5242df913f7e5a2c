import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { raise } from '../../domain/kernel/refusals.js';

const countOf = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === name) count += 1;
  return count;
};

const refuseHeader = (name: string, message: string): never =>
  raise('INVALID_REQUEST', `The header ${name} ${message}.`, {
    details: [{ path: name, message }],
  });

/** Node uses the first of several; a proxy in front may have used another one. */
const requireOnce = (request: IncomingMessage, name: string): void => {
  if (countOf(request, name.toLowerCase()) > 1) refuseHeader(name, 'must be sent only once');
};

const isHttp11 = ({ httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && httpVersionMinor === 1;

const CONTINUE = /^\s*100-continue\s*$/i;

/**
 * Refuses headers that two programs may interpret differently: duplicates of Host or Authorization,
 * a missing Host (RFC 9112, 3.2), an unknown expectation (RFC 9110, 10.1.1).
 */
export const checkHeaders: RequestHandler = (request, response, next) => {
  requireOnce(request, 'Authorization');
  requireOnce(request, 'Host');
  if (isHttp11(request)) {
    const { host, expect } = request.headers;
    if (host === undefined) {
      response.setHeader('Connection', 'close');
      refuseHeader('Host', 'is required in HTTP/1.1');
    }
    if (expect !== undefined && !CONTINUE.test(expect))
      raise('EXPECTATION_FAILED', 'The only supported expectation is 100-continue.');
  }
  next();
};

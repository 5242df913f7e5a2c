import type { IncomingMessage } from 'node:http';
import { isBearerToken } from '../../domain/kernel/bearer-token.js';

/** Room for the scheme, spaces and the longest token. */
const MAX_HEADER_LENGTH = 512;
// RFC 6750, 2.1; the scheme is case-insensitive (RFC 9110, 11.1).
const BEARER = /^bearer +(\S+) *$/i;

/** Whether the request has a bearer token, well-formed or not. */
export const hasBearerToken = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /^bearer +\S/i.test(headers.authorization ?? '');

/** The well-formed bearer token of a request, if any. */
export const bearerTokenOf = ({ headers }: IncomingMessage): string | undefined => {
  const header = headers.authorization;
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const token = BEARER.exec(header)?.[1];
  return token !== undefined && isBearerToken(token) ? token : undefined;
};

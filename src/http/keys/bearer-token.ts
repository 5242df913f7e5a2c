import type { IncomingMessage } from 'node:http';
import { isBearerToken } from '../../domain/bearer-token.js';

/** The scheme and some spaces before the longest token. */
const LONGEST = 512;
// RFC 6750, 2.1; the name of the scheme has no case (RFC 9110, 11.1).
const BEARER = /^bearer +(\S+) *$/i;

/** Whether the request carries what is meant as a bearer token, well-formed or not. */
export const sentToken = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /^bearer +\S/i.test(headers.authorization ?? '');

/** The bearer token of a request, or undefined where it has none. */
export const bearerTokenOf = ({ headers }: IncomingMessage): string | undefined => {
  const header = headers.authorization;
  if (header === undefined || header.length > LONGEST) return undefined;
  const token = BEARER.exec(header)?.[1];
  return token !== undefined && isBearerToken(token) ? token : undefined;
};

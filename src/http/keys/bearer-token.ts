import type { IncomingMessage } from 'node:http';

/** Longer than any token that is ours: what goes beyond is not even hashed. */
const LONGEST = 512;
// RFC 6750, 2.1; the name of the scheme has no case (RFC 9110, 11.1).
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** The bearer token of a request, or undefined where it has none. */
export const bearerTokenOf = ({ headers }: IncomingMessage): string | undefined => {
  const header = headers.authorization;
  if (header === undefined || header.length > LONGEST) return undefined;
  return BEARER.exec(header)?.[1];
};

import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../config/is-loopback.js';

/**
 * A cookie that only this host gets, over TLS (RFC 6265bis, 4.1.3.2). Without TLS only on loopback,
 * where browsers accept no such prefix.
 */
export interface CookieRules {
  readonly name: (base: 'rg_sid' | 'rg_oidc') => string;
  /** The header that sets it, or with an empty value deletes it. */
  readonly header: (base: 'rg_sid' | 'rg_oidc', value: string, maxAgeSeconds: number) => string;
  /** Whether browsers keep such cookies for this URL. */
  readonly areKept: boolean;
}

export const cookieRulesFor = (publicUrl: string): CookieRules => {
  const { protocol } = new URL(publicUrl);
  const isPlain = protocol === 'http:' && isLoopback(publicUrl);
  const name: CookieRules['name'] = (base) => (isPlain ? base : `__Host-${base}`);
  return {
    name,
    header: (base, value, maxAge) =>
      [
        `${name(base)}=${value}`,
        ...(isPlain ? [] : ['Secure']),
        'HttpOnly',
        'SameSite=Lax',
        'Path=/',
        `Max-Age=${maxAge}`,
      ].join('; '),
    areKept: isPlain || protocol === 'https:',
  };
};

const MAX_HEADER_LENGTH = 16_384;
/** Of secrets, and of what is sealed. */
const VALUE = /^[A-Za-z0-9_.-]{1,4096}$/;

/** The value of a cookie, if it looks like one of this gateway. */
export const cookieOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const { cookie = '' } = headers;
  if (cookie.length > MAX_HEADER_LENGTH) return undefined;
  const prefix = `${name}=`;
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  const value = found?.slice(prefix.length);
  return value !== undefined && VALUE.test(value) ? value : undefined;
};

/**
 * Sent back by the dashboard with every write: another site can make a browser send its cookie, but
 * cannot read this.
 */
export const csrfTokenOf = (cookie: string): string =>
  createHmac('sha256', cookie).update('rollgate: csrf token').digest('base64url');

import type { ApiKey } from '../../domain/tenant/tenant.js';
import type { Scope } from '../../domain/scopes.js';
import { isSameSecret } from './credentials.js';

/**
 * Access tokens that an API key was exchanged for (RFC 6749, 4.4). They are self-contained: nothing is
 * stored, and each request finds the key by its hash, as with the key itself. So a deleted or expired
 * key ends its tokens, and any gateway accepts them (docs/decisions/0054-access-tokens.md).
 */
export interface AccessTokens {
  readonly issue: (key: ApiKey, scopes: readonly Scope[], seconds: number) => string;
  /** Undefined: it is no token of this gateway, or it has expired. */
  readonly read: (token: string) => GrantedAccess | undefined;
}

/** What a token allows. */
export interface GrantedAccess {
  /** Of the key. */
  readonly hash: string;
  readonly scopesOf: (key: Pick<ApiKey, 'scopes'>) => readonly Scope[];
}

interface AccessTokenParts {
  /** A keyed hash in hexadecimal, the same on every gateway. */
  readonly mac: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const PREFIX = 'rgt_';
/** Apart from other uses of the same key: no admin token contains a colon. */
const PURPOSE = 'access-token:';

const HASH_BYTES = 32;
const CONTENT_BYTES = HASH_BYTES + 4 + 4;
const LENGTH = CONTENT_BYTES + 32;
const FORMAT = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{${Math.ceil((LENGTH * 4) / 3)}}$`);

/** Whether the text has the form of a token; it may have ended. */
export const isAccessToken = (text: string): boolean => FORMAT.test(text);

/** Each scope of a key, in the order of its stored list, which never changes, is a bit. */
const MAX_SCOPES = 32;

const maskOf = (key: ApiKey, scopes: readonly Scope[]): number =>
  key.scopes
    .slice(0, MAX_SCOPES)
    .reduce((mask, scope, at) => (scopes.includes(scope) ? mask | (1 << at) : mask), 0) >>> 0;

export const createAccessTokens = ({ mac, now }: AccessTokenParts): AccessTokens => {
  const signatureOf = (content: Buffer): string => mac(PURPOSE + content.toString('base64url'));
  return {
    issue: (key, scopes, seconds) => {
      const content = Buffer.alloc(CONTENT_BYTES);
      content.write(key.hash, 'hex');
      content.writeUInt32BE(Math.floor(now() / 1_000) + seconds, HASH_BYTES);
      content.writeUInt32BE(maskOf(key, scopes), HASH_BYTES + 4);
      const signature = Buffer.from(signatureOf(content), 'hex');
      return PREFIX + Buffer.concat([content, signature]).toString('base64url');
    },
    read: (token) => {
      if (!FORMAT.test(token)) return undefined;
      const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
      const content = bytes.subarray(0, CONTENT_BYTES);
      const signature = bytes.subarray(CONTENT_BYTES).toString('hex');
      if (!isSameSecret(signature, signatureOf(content))) return undefined;
      if (content.readUInt32BE(HASH_BYTES) * 1_000 <= now()) return undefined;
      const mask = content.readUInt32BE(HASH_BYTES + 4);
      return {
        hash: content.toString('hex', 0, HASH_BYTES),
        scopesOf: ({ scopes }) =>
          scopes.slice(0, MAX_SCOPES).filter((_scope, at) => ((mask >>> at) & 1) === 1),
      };
    },
  };
};

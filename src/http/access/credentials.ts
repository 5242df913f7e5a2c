import type { IncomingMessage } from 'node:http';
import { isBearerToken } from '../../domain/kernel/bearer-token.js';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AdminTokens } from '../../ports/operators.js';
import { createRecentReads } from './recent-reads.js';

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

/** 256 random bits, for cookies and links. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** SHA-256 in hexadecimal, by which a random secret is stored and looked up: it needs no slow hash. */
export const hashSecret = (secret: string): string => digest(secret).toString('hex');

/** Compares in constant time, by digests, which have equal lengths. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));

/**
 * The format of an API key (decisions.md 3): `rg_`, 8 public characters, `_`, 32 characters from a
 * CSPRNG (190 bits), and 6 characters of checksum (CRC32 in base62). Secret scanners can find
 * leaked keys without false positives, and mistyped keys need no database lookup.
 */
const API_KEY_PATTERN = /^rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 'rg_'.length + 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** The largest multiple of 62 in a byte: larger bytes would favour some characters. */
const UNBIASED_LIMIT = 248;

/** A new key; `key` is shown once and never stored. */
interface GeneratedApiKey {
  readonly key: string;
  /** `rg_` and 8 characters, to recognise the key by. */
  readonly prefix: string;
  /** SHA-256 of the whole key, hexadecimal. */
  readonly hash: string;
}

const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    const unbiased = randomBytes(2 * length).filter((byte) => byte < UNBIASED_LIMIT);
    text += Array.from(unbiased, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  }
  return text.slice(0, length);
};

const checksumOf = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
};

export const generateApiKey = (): GeneratedApiKey => {
  const prefix = `rg_${randomText(PREFIX_LENGTH - 'rg_'.length)}`;
  const body = `${prefix}_${randomText(SECRET_LENGTH)}`;
  const key = body + checksumOf(body);
  return { key, prefix, hash: hashSecret(key) };
};

/** Whether the text has the format of a key and a correct checksum. */
export const isApiKey = (text: string): boolean =>
  API_KEY_PATTERN.test(text) &&
  checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** The public part of a text that looks like a key, complete or not. */
export const keyPrefixIn = (text: string): string | null =>
  /^rg_[0-9A-Za-z]{8}(?=_|$)/.exec(text)?.[0] ?? null;

/** Checks the admin token. */
export interface AdminTokenCheck {
  /**
   * Resolves with the token's hash if it is valid. Rejects with UNAVAILABLE without the database.
   */
  readonly check: (token: string) => Promise<string | undefined>;
  /** Whether this is the hash of the valid token. Rejects like `check`. */
  readonly isValid: (hash: string) => Promise<boolean>;
  /** Call it after replacing the token, so that the old one stops working immediately. */
  readonly invalidate: () => void;
}

interface CheckParts extends Pick<AdminTokens, 'hashOf' | 'findHash'> {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** There is one, so all have the same place. */
const ONLY = '';

export const createAdminTokenCheck = ({ hashOf, findHash, now }: CheckParts): AdminTokenCheck => {
  const recent = createRecentReads<string>({ read: findHash, now });

  const isValid = async (hash: string): Promise<boolean> => {
    const valid = await recent.find(ONLY);
    return valid !== undefined && isSameSecret(hash, valid);
  };

  return {
    check: async (token) => {
      const hash = hashOf(token);
      return (await isValid(hash)) ? hash : undefined;
    },
    isValid,
    invalidate: () => recent.invalidate(() => true),
  };
};

import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hashSecret } from './secret-hash.js';

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
export interface GeneratedApiKey {
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

import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of an API key (decisions.md 3): `rg_`, eight characters that may be shown, `_`, 32
 * characters from a CSPRNG (190 bits) and six that check the rest: CRC32 in base62. A secret
 * scanner that knows the form and the checksum reports leaked keys and nothing else; here the
 * checksum saves the database every look-up of a mistyped or made-up key.
 */
export const API_KEY_PATTERN = /^rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 'rg_'.length + 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** The largest multiple of 62 that a byte can tell: bytes from here on would favour some characters. */
const FAIR = 248;

/** A key that was just made; `key` is shown once and never kept. */
export interface MadeApiKey {
  readonly key: string;
  /** `rg_` and eight characters: how people tell keys apart. */
  readonly prefix: string;
  /** SHA-256 of the whole key, hexadecimal. */
  readonly hash: string;
}

const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    const fair = randomBytes(2 * length).filter((byte) => byte < FAIR);
    text += Array.from(fair, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
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

/** What a key is kept and looked up by. A random key of 190 bits needs no slow hash. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const makeApiKey = (): MadeApiKey => {
  const prefix = `rg_${randomText(PREFIX_LENGTH - 'rg_'.length)}`;
  const body = `${prefix}_${randomText(SECRET_LENGTH)}`;
  const key = body + checksumOf(body);
  return { key, prefix, hash: hashApiKey(key) };
};

/** Whether the text has the form of a key and its checksum is right. */
export const isApiKey = (text: string): boolean =>
  API_KEY_PATTERN.test(text) &&
  checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** The shown part of a key. */
export const prefixOf = (key: string): string => key.slice(0, PREFIX_LENGTH);

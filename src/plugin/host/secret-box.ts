import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../contract/host.js';

const KEY_BYTES = 32;
/** NIST SP 800-38D, 5.2.1.1: 96 bits, and with random ones fewer than 2^32 seals under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1';
const CIPHER = 'aes-256-gcm';
/** Said, for a shorter tag would be taken too, and is easier to forge. */
const LENGTHS = { authTagLength: TAG_BYTES } as const;

/** The first characters of the key's fingerprint: identifies the key without revealing it. */
const nameOf = (key: Uint8Array): string =>
  createHash('sha256').update(key).digest('hex').slice(0, 8);

/**
 * Encrypts at rest with AES-256-GCM: `v1.{key}.{nonce}.{text and tag}`, the last two in base64url,
 * where `{key}` names the key, so that a wrong key can be distinguished from a damaged text. Throws a
 * RangeError for a key that is not 32 bytes long.
 */
export const createSecretBox = (key: Uint8Array): SecretBox => {
  if (key.length !== KEY_BYTES)
    throw new RangeError(`The secret key has ${key.length} bytes; it needs ${KEY_BYTES}.`);
  const name = nameOf(key);
  return {
    seal: (plain) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, LENGTHS);
      const sealed = Buffer.concat([
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return [FORM, name, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
    },
    unseal: (text) => {
      const [form, keyName, nonce = '', sealed = ''] = text.split('.');
      if (form !== FORM) throw new Error('Not a text sealed by this gateway.');
      if (keyName !== name)
        throw new Error(`It was sealed with the key ${String(keyName)}; this gateway has ${name}.`);
      try {
        return open(key, Buffer.from(nonce, 'base64url'), Buffer.from(sealed, 'base64url'));
      } catch (cause) {
        throw new Error('The sealed text is damaged.', { cause });
      }
    },
  };
};

const open = (key: Uint8Array, nonce: Uint8Array, sealed: Buffer): string => {
  const opener = createDecipheriv(CIPHER, key, nonce, LENGTHS);
  opener.setAuthTag(sealed.subarray(-TAG_BYTES));
  return opener.update(sealed.subarray(0, -TAG_BYTES), undefined, 'utf8') + opener.final('utf8');
};

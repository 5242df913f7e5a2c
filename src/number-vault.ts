import { createHmac, hkdfSync } from 'node:crypto';
import type { NumberVault } from './api/sms-lists.js';

interface VaultParts {
  readonly secrets: {
    readonly seal: (plain: string) => string;
    readonly unseal: (sealed: string) => string;
  };
  /** The gateway's secret key, of which one for this purpose is derived. */
  readonly secretKey: Uint8Array;
}

/** RFC 5869: tells this key from others that are derived of the same secret. */
const PURPOSE = 'rollgate: look-up of phone numbers';
const KEY_BYTES = 32;
/** 128 bits: two numbers meet by chance after 10^19 of them. */
const LOOK_UP_BYTES = 16;

/**
 * Phone numbers are few enough to be tried out one by one: a plain hash would tell them all. So they
 * are looked up by a keyed one, and the list goes into it, so that nobody who reads the database
 * learns which lists share a number.
 */
export const createNumberVault = ({ secrets, secretKey }: VaultParts): NumberVault => {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', PURPOSE, KEY_BYTES));
  const keyOf: NumberVault['keyOf'] = (listId, number) =>
    createHmac('sha256', key)
      .update(`${listId}\n${number}`)
      .digest()
      .subarray(0, LOOK_UP_BYTES)
      .toString('base64url');
  return {
    keyOf,
    seal: (listId, number) => ({ key: keyOf(listId, number), sealed: secrets.seal(number) }),
    reveal: ({ sealed }) => secrets.unseal(sealed),
  };
};

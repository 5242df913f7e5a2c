import { createHmac, hkdfSync } from 'node:crypto';
import type { NumberVault } from '../ports/sms-lists.js';

interface VaultParts {
  readonly secrets: {
    readonly seal: (plain: string) => string;
    readonly unseal: (sealed: string) => string;
  };
  /** The gateway's secret key, from which the key for lookups is derived. */
  readonly secretKey: Uint8Array;
}

/** RFC 5869: separates this key from others derived from the same secret. */
const PURPOSE = 'rollgate: look-up of phone numbers';
const KEY_BYTES = 32;
/** 128 bits: collisions become likely after 10^19 numbers. */
const LOOKUP_BYTES = 16;

/**
 * There are few enough phone numbers to reverse a plain hash by trying them all, so lookups use a
 * keyed hash. It includes the list, so that the database does not reveal which lists share a number.
 */
export const createNumberVault = ({ secrets, secretKey }: VaultParts): NumberVault => {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', PURPOSE, KEY_BYTES));
  const keyOf: NumberVault['keyOf'] = (listId, number) =>
    createHmac('sha256', key)
      .update(`${listId}\n${number}`)
      .digest()
      .subarray(0, LOOKUP_BYTES)
      .toString('base64url');
  return {
    keyOf,
    seal: (listId, number) => ({ key: keyOf(listId, number), sealed: secrets.seal(number) }),
    reveal: ({ sealed }) => secrets.unseal(sealed),
  };
};

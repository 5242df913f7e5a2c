import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { createHmac, hkdfSync } from 'node:crypto';
import type { NumberVault } from '../ports/sms-lists.js';

/** Whether it is the ISO 3166-1 alpha-2 code of a country with a known numbering plan. */
export const isCountry = (text: string): text is CountryCode => isSupportedCountry(text);

/** Invisible formatting characters, which address books add around copied numbers. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * The form that the library accepts: trimmed, with an ASCII plus, without brackets around the
 * country code.
 */
const normalise = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .trim()
    // The form of directories (RFC 3966).
    .replace(/^tel:/i, '')
    .replace('＋', '+')
    .replace(/^\((\+\d{1,3})\)/, '$1 ');

/**
 * The number in E.164, or undefined if it is not a phone number. A number without a country code
 * uses the default country. The number must be possible, not assigned: the assigned ranges change
 * faster than any copy of them, and a refused new number would miss its messages. Numbers with
 * extensions cannot receive messages.
 */
export const toE164 = (text: string, defaultCountry: string | null): string | undefined => {
  const country = defaultCountry !== null && isCountry(defaultCountry) ? defaultCountry : undefined;
  const number = parsePhoneNumberFromString(normalise(text), {
    ...(country && { defaultCountry: country }),
    // Refuses text around the number.
    extract: false,
  });
  return number?.isPossible() && number.ext === undefined ? number.number : undefined;
};

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

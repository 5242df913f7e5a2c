import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';

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

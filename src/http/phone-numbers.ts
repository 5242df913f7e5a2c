import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';

/** Whether it is an ISO 3166-1 alpha-2 code of a country whose numbers are known. */
export const isCountry = (text: string): text is CountryCode => isSupportedCountry(text);

/** Marks that nobody sees: address books put them around a number that is copied from there. */
const UNSEEN = /\p{Cf}/gu;

/** As the library wants it: nothing around it, a plain plus, and no brackets about the country. */
const inPlainForm = (text: string): string =>
  text
    .replace(UNSEEN, '')
    .trim()
    // RFC 3966: how directories write a number as an address.
    .replace(/^tel:/i, '')
    .replace('＋', '+')
    .replace(/^\((\+\d{1,3})\)/, '$1 ');

/**
 * The number in E.164, or undefined where the text is none. A number without its country code is
 * one of the default country's, where there is one. It must be possible, not assigned: which
 * numbers a country has given out changes faster than any copy of its plan, and a person whose new
 * number was refused hears of nothing. An extension cannot be sent a message.
 */
export const toE164 = (text: string, defaultCountry: string | null): string | undefined => {
  const country = defaultCountry !== null && isCountry(defaultCountry) ? defaultCountry : undefined;
  const number = parsePhoneNumberFromString(inPlainForm(text), {
    ...(country && { defaultCountry: country }),
    // No text around it: a line that holds a number somewhere is not a number.
    extract: false,
  });
  return number?.isPossible() && number.ext === undefined ? number.number : undefined;
};

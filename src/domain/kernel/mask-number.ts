const HIDDEN = '•'.repeat(7);

/** A phone number as operators see it: country and last digits, without its length. */
export const maskNumber = (number: string): string =>
  `${number.slice(0, 3)}${HIDDEN}${number.slice(-2)}`;

/** International numbers in any notation: a plus, then at least seven digits with separators. */
const NUMBERS = /(?:tel:)?[+＋][\s(]{0,2}\d(?:[\s().\-/]{0,3}\d){6,}/gi;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Masks the international phone numbers in a text: they are sometimes used as names. */
export const maskNumbersIn = (text: string): string =>
  text.replaceAll(NUMBERS, (number) => maskNumber(`+${digitsOf(number)}`));

const HIDDEN = '•'.repeat(7);

/**
 * A phone number as operators see it: where it belongs and how it ends, never which one it is nor
 * how long it is. The same everywhere.
 */
export const maskNumber = (number: string): string =>
  `${number.slice(0, 3)}${HIDDEN}${number.slice(-2)}`;

/** International numbers in any writing: a plus, then seven digits or more with little between. */
const NUMBERS = /(?:tel:)?[+＋][\s(]{0,2}\d(?:[\s().\-/]{0,3}\d){6,}/gi;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Text with the international phone numbers in it masked: people use them as names of all sorts. */
export const maskNumbersIn = (text: string): string =>
  text.replaceAll(NUMBERS, (number) => maskNumber(`+${digitsOf(number)}`));

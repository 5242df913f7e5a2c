const HIDDEN = '•'.repeat(7);

/** A phone number as operators see it: country and last digits, without its length. */
export const maskNumber = (number: string): string =>
  `${number.slice(0, 3)}${HIDDEN}${number.slice(-2)}`;

/** International numbers in any notation: a plus, then at least seven digits with separators. */
const NUMBERS = /(?:tel:)?[+＋][\s(]{0,2}\d(?:[\s().\-/]{0,3}\d){6,}/gi;

/**
 * National numbers, distinguished from ids, dates and UUIDs by their separators: `(212) 555-0199`;
 * `212-555-0199`; a trunk prefix, as in `0171 1234567`.
 */
const FORMS = [
  /\(\d{2,5}\)[\s.\-/]{0,3}(?!\d{4}-\d\d-\d\d)\d{2,8}(?:[\s.\-/]{1,3}\d{2,8}){0,4}/,
  /(?:1[\s.-])?[2-9]\d{2}[\s.-][2-9]\d{2}[\s.-]\d{4}/,
  // No date: 01.02.2026
  /(?!\d{1,2}([./-])\d{1,2}\1\d{4}(?!\d))0{1,2}[1-9]\d{0,4}(?:[\s.\-/]{1,3}\d{2,8}){1,5}/,
];
const NATIONAL = new RegExp(
  String.raw`(?<![\w.-])(?:${FORMS.map(({ source }) => source).join('|')})(?!\w|[.-]\w)`,
  'g',
);
/** What a national number contains: most texts need no further search. */
const SEPARATED = /\d[\s).\-/]{1,3}\d/;
const MAX_DIGITS = 15;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

const maskNational = (found: string): string => {
  const digits = digitsOf(found);
  const least = found.startsWith('(') ? 8 : 9;
  return digits.length < least || digits.length > MAX_DIGITS ? found : maskNumber(digits);
};

/** Masks the phone numbers in a text: they are sometimes used as names. */
export const maskNumbersIn = (text: string): string => {
  const masked = text.replaceAll(NUMBERS, (number) => maskNumber(`+${digitsOf(number)}`));
  return SEPARATED.test(masked) ? masked.replaceAll(NATIONAL, maskNational) : masked;
};

/** Fast path for most texts: normalising would take five times as long and change nothing. */
const ASCII = /^[\u0000-\u007f]*$/;

/** Fullwidth and halfwidth forms, and the space of their width. */
const OTHER_WIDTH = /[\u3000\uff01-\uffee]+/g;

/**
 * The text in lower case and normal width, for uniqueness and lookups that ignore both
 * (decisions.md 5; RFC 8265, 3.3.1). Normalised to NFC, so that both encodings of "é" are equal.
 */
export const fold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : foldUnicode(text);

const foldUnicode = (text: string): string =>
  text
    .replace(OTHER_WIDTH, (wide) => wide.normalize('NFKC'))
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC');

/** The key of a name (room, group, role mapping, SMS list): also the same with other white space. */
export const nameKey = (name: string): string => namePart(name).trim();

/** A part of such a key, to search for: white space at its ends separates words. */
export const namePart = (text: string): string => fold(text).replace(/\s+/g, ' ');

/**
 * Characters that are invisible or change the characters next to them: joiners, direction marks,
 * variation selectors, fillers (Unicode, Default_Ignorable_Code_Point).
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** All spaces and line separators except U+0020. */
const OTHER_SPACE = /[^\P{White_Space}\u0020]/u;

const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a reader sees anything of the text: a blank name is a row that a mouse cannot open. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Position in the text in code points, from 1. */
const positionOf = (text: string, index: number): number =>
  Array.from(text.slice(0, index)).length + 1;

/**
 * Why a text cannot be a name or identifier (user name, e-mail address, external id, name of a room,
 * group or role); undefined if it can. Two of them that look the same must not differ in invisible
 * characters (decision 0023). Display names of people are free text, with joiners and emoji.
 */
export const nameError = (text: string): string | undefined => {
  const invisible = INVISIBLE.exec(text);
  if (invisible)
    return `must not contain the invisible character ${codePointOf(invisible[0])} (character ${positionOf(text, invisible.index)})`;
  const space = OTHER_SPACE.exec(text);
  return space
    ? `must not contain the space ${codePointOf(space[0])} (character ${positionOf(text, space.index)}); use U+0020`
    : undefined;
};

const HIDDEN = '•'.repeat(7);

/** Whether a text contains a masked number, which nothing can be named by. */
export const isMasked = (text: string): boolean => text.includes(HIDDEN);

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

/** Most texts; to normalise them would cost five times as much and change nothing. */
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * The form of a text in which letter case no longer tells two of them apart: what uniqueness and
 * look-ups compare (decisions.md 4: e-mail and user name are unique "without regard to case").
 * NFC first, so that the two ways to write "é" are one name.
 */
export const fold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : foldUnicode(text);

const foldUnicode = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

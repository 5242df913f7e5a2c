/** Fast path for most texts: normalising would take five times as long and change nothing. */
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * The text in lower case, for case-insensitive uniqueness and lookups (decisions.md 4). Normalised to
 * NFC, so that both encodings of "é" are equal.
 */
export const fold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : foldUnicode(text);

const foldUnicode = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

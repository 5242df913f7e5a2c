import { fold } from './names.js';

/**
 * Where the words of a name begin, for an index. An index finds a text by its beginning; so that
 * "Lovelace" finds "Ada Lovelace", `folded.words` holds the rest of each name from each of its later
 * words. Nothing is stored that another index, or another entry, finds already: that leaves one entry
 * for most users, and creates pay for each (decision 0043).
 */

/** Entries of a document; further words of a long name find nothing. */
const MAX_WORDS = 12;
/** Of an entry; what is searched for is cut to the same length. */
export const MAX_WORD_LENGTH = 48;

/** Of a document without further words: one without the field is still to be indexed. */
const NO_WORDS: readonly string[] = [''];

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;

/** Most texts: normalising changes none of them, and a simple expression finds their words. */
const ASCII = /^[\u0000-\u007f]*$/;

/** "zoë o'brien" and "zoe o'brien"; a text without accents alone. */
const formsOf = (text: string): readonly string[] => {
  const plain = ASCII.test(text) ? text : text.normalize('NFD').replace(/\p{M}/gu, '');
  return plain === text ? [text] : [text, plain];
};

/** "ada de la cruz": also "de la cruz", "la cruz" and "cruz". */
const restsOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(ASCII.test(text) ? ASCII_WORD : WORD), ({ index }) =>
    text.slice(index, index + MAX_WORD_LENGTH),
  );

/**
 * The entries of a document with these texts. `indexed` are those texts that have an index of their own, in
 * lower case; absent: all of them.
 */
export const nameWords = (
  texts: readonly string[],
  indexed: readonly string[] = texts.map(fold),
): readonly string[] => {
  const words: string[] = [];
  const folded = new Set(texts.map(fold));
  for (const rest of [...folded].flatMap((text) => formsOf(text).flatMap(restsOf))) {
    if (words.length === MAX_WORDS) break;
    if ([...indexed, ...words].some((longer) => longer.startsWith(rest))) continue;
    const replaced = words.findIndex((shorter) => rest.startsWith(shorter));
    if (replaced >= 0) words[replaced] = rest;
    else words.push(rest);
  }
  return words.length > 0 ? words : NO_WORDS;
};

/** The words of a text, without what is between them. */
export const wordsIn = (text: string): readonly string[] => text.match(WORD) ?? [];

/** Whether each of these words, in lower case, begins a word of the texts; false without words. */
export const haveAllWords = (texts: readonly string[], words: readonly string[]): boolean => {
  const known = texts.flatMap((text) => formsOf(fold(text)).flatMap(wordsIn));
  return words.length > 0 && words.every((word) => known.some((one) => one.startsWith(word)));
};

const BACKSLASH = 0x5c;

/** The position of the quote that ends the string which begins here; the end of the text without one. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
};

/** An integer that may be beyond 2^53; no part of a fraction. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Parses JSON. Integers that a number would round become text with their digits: two people whose ids
 * differ in the last digit are not one. (JSON.parse shows them only from Node 21 on.)
 */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(/\d{16}/.test(text) ? quoteLongIntegers(text) : text);

const quoteLongIntegers = (text: string): string => {
  let quoted = '';
  for (let at = 0; at < text.length;) {
    const opening = text.indexOf('"', at);
    const string = opening < 0 ? text.length : opening;
    quoted += text.slice(at, string).replace(LONG_INTEGER, quoteUnsafe);
    at = Math.min(endOfString(text, string) + 1, text.length);
    quoted += text.slice(string, at);
  }
  return quoted;
};

const quoteUnsafe = (digits: string): string =>
  Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;

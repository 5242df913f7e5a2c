const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
/** What is written between the letters to style them. */
const STYLE = /\u001B\[\d+m/g;

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal the text takes: names are not all written in Latin letters. */
export const displayWidth = (text: string): number =>
  [...letters.segment(text.replace(STYLE, ''))].reduce(
    (width, { segment }) => width + (WIDE.test(segment) ? 2 : 1),
    0,
  );

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text;

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

/** Text of others with nothing in it that a terminal would obey. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�');

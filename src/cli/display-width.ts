const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
/** Escape sequences that set a style. */
const STYLE = /\u001B\[\d+m/g;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of terminal columns the text takes; CJK characters and emoji take two. */
export const displayWidth = (text: string): number =>
  [...graphemes.segment(text.replace(STYLE, ''))].reduce(
    (width, { segment }) => width + (WIDE.test(segment) ? 2 : 1),
    0,
  );

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text;

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

/** Untrusted text without characters that would control the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�');

/** The same for several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

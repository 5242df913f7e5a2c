const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
/** Escape sequences that set a style. */
const STYLE = /\u001B\[\d+m/g;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export const withoutStyles = (text: string): string => text.replace(STYLE, '');

/** The number of terminal columns the text takes; CJK characters and emoji take two. */
export const displayWidth = (text: string): number =>
  [...graphemes.segment(withoutStyles(text))].reduce(
    (width, { segment }) => width + (WIDE.test(segment) ? 2 : 1),
    0,
  );

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text;

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

/** Untrusted text without characters that would control the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�');

/** The same with its styles: of a hostile gateway's text, at most a colour remains. */
export const printableStyled = (text: string): string =>
  text.replace(/\u001B\[\d+m|[\p{Cc}\p{Bidi_Control}]/gu, (found) =>
    found.length > 1 ? found : '�',
  );

/** The same for several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Styles for text on a terminal; without colours they return the text unchanged. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** Columns that a table may take. */
  readonly width: number;
}

const style =
  (isOn: boolean, open: number, close: number) =>
  (text: string): string =>
    isOn && text !== '' ? `\u001B[${open}m${text}\u001B[${close}m` : text;

export const createPaint = (isOn: boolean, width = Infinity): Paint => ({
  bold: style(isOn, 1, 22),
  dim: style(isOn, 2, 22),
  red: style(isOn, 31, 39),
  green: style(isOn, 32, 39),
  yellow: style(isOn, 33, 39),
  cyan: style(isOn, 36, 39),
  width,
});

/** Colours are for terminals, unless NO_COLOR (no-color.org) or FORCE_COLOR is set. */
export const hasColours = (
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean => {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
};

/** Text from the gateway, safe for a terminal; `-` if there is none. */
export const orDash = (text: string | null | undefined): string =>
  text === null || text === undefined || text === '' ? '-' : printable(text);

export const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

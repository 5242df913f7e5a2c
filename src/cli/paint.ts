/** Styles for text on a terminal; without colours they return the text unchanged. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const style =
  (isOn: boolean, open: number, close: number) =>
  (text: string): string =>
    isOn && text !== '' ? `\u001B[${open}m${text}\u001B[${close}m` : text;

export const createPaint = (isOn: boolean): Paint => ({
  bold: style(isOn, 1, 22),
  dim: style(isOn, 2, 22),
  red: style(isOn, 31, 39),
  green: style(isOn, 32, 39),
  yellow: style(isOn, 33, 39),
  cyan: style(isOn, 36, 39),
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

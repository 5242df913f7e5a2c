type Rgb = readonly [red: number, green: number, blue: number];

const rgbOf = (colour: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb;

const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
const luminance = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** From 1 to 21. */
const contrast = (one: Rgb, other: Rgb): number => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

/** What text needs (WCAG 2.2, 1.4.3, level AA). */
const MIN_CONTRAST = 4.5;

/** The darkest surface of the light theme, and the lightest of the dark one, that has text in the accent. */
const LIGHT = rgbOf('#eef0ff');
const DARK = rgbOf('#25262e');

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

const STEPS = 20;

/** The colour, mixed with as little of the other as makes it readable on the surface. */
const readableOn = (surface: Rgb, colour: Rgb, other: Rgb): string => {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = colour.map(
      (part, at) => part + (((other[at] ?? 0) - part) * step) / STEPS,
    ) as unknown as Rgb;
    if (contrast(mixed, surface) >= MIN_CONTRAST) return hexOf(mixed);
  }
  return hexOf(other);
};

/** The colour for text in both themes: darker and lighter, as far as it needs to be. */
export const accentShades = (
  colour: string,
): { readonly light: string; readonly dark: string } => ({
  light: readableOn(LIGHT, rgbOf(colour), BLACK),
  dark: readableOn(DARK, rgbOf(colour), WHITE),
});

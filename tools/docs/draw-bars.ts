/** One row of a chart: its label, and its parts from left to right. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly { readonly value: number; readonly colour: keyof typeof COLOURS }[];
  /** Text behind the bar. */
  readonly text: string;
}

export interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly legend: readonly (readonly [colour: keyof typeof COLOURS, text: string])[];
  /** A vertical line, such as the rate of another server. */
  readonly mark?: { readonly value: number; readonly text: string };
}

/** Light and dark. */
const COLOURS = {
  first: ['#1f5fbf', '#4c8dff'],
  second: ['#6cb583', '#3a9d5d'],
} as const;

const WIDTH = 820;
const LEFT = 416;
const RIGHT = 112;
const ROW = 26;
const TOP = 76;

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const style = (theme: 0 | 1): string =>
  [
    `.page{fill:${['#ffffff', '#0d1117'][theme]};stroke:${['#d0d7de', '#30363d'][theme]}}`,
    `text{fill:${['#1f2328', '#e6edf3'][theme]};font-size:13px}`,
    `.mark{stroke:${['#59636e', '#9198a1'][theme]};stroke-dasharray:4 3}`,
    `.value{paint-order:stroke;stroke:${['#ffffff', '#0d1117'][theme]};stroke-width:4px}`,
    ...Object.entries(COLOURS).map(([name, each]) => `.${name}{fill:${each[theme]}}`),
  ].join('');

/** Horizontal bars as SVG, for light and dark pages. */
export const drawBars = ({ title, bars, legend, mark }: Chart): string => {
  const totals = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const scale = (WIDTH - LEFT - RIGHT) / Math.max(...totals, mark?.value ?? 0);
  const height = TOP + bars.length * ROW + 18;
  const number = (value: number): string => value.toFixed(1);
  const rows = bars.flatMap(({ label, parts, text }, row) => {
    const y = TOP + row * ROW;
    let x = LEFT;
    const boxes = parts.map(({ value, colour }) => {
      const box = `<rect class="${colour}" x="${number(x)}" y="${y}" width="${number(value * scale)}" height="18"/>`;
      x += value * scale;
      return box;
    });
    return [
      `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end">${escapeXml(label)}</text>`,
      ...boxes,
      `<text class="value" x="${number(x + 8)}" y="${y + 14}">${escapeXml(text)}</text>`,
    ];
  });
  const keys = legend.flatMap(([colour, text], index) => {
    const x = 24 + index * 190;
    return [
      `<rect class="${colour}" x="${x}" y="44" width="12" height="12" rx="2"/>`,
      `<text x="${x + 18}" y="55">${escapeXml(text)}</text>`,
    ];
  });
  const at = LEFT + (mark?.value ?? 0) * scale;
  const line = mark
    ? [
        `<path class="mark" d="M${number(at)} ${TOP - 6} V${height - 12}"/>`,
        `<text x="${number(at + 6)}" y="${TOP - 10}">${escapeXml(mark.text)}</text>`,
      ]
    : [];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${style(0)}@media (prefers-color-scheme:dark){${style(1)}}</style>`,
    `<rect class="page" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>`,
    `<text x="24" y="30" font-weight="600">${escapeXml(title)}</text>`,
    ...keys,
    ...line,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
};

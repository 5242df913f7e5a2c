import type { CliSection } from '../start/load-extensions.js';
import {
  displayWidth,
  orDash,
  padEnd,
  padStart,
  type Paint,
  printableLines,
  printableStyled,
  withoutStyles,
} from './terminal-text.js';

/** A section below the fields; of an empty one with a title, `none` is printed. */
export type Section = CliSection & { readonly title?: string };

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** Longer cells are wrapped at spaces. */
  readonly wrapAt?: number;
}

const GAP = '  ';

/**
 * Rows below their titles in aligned columns; every line ends with a newline. If they are wider than
 * the terminal, the widest columns are wrapped, and then the last ones left out.
 */
export const renderTable = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paint: Paint,
): string => {
  const all = columns.map((column) => measure(column, rows));
  const shown = columnsThatFit(all, paint.width);
  const widths = fitWidths(shown, paint.width);
  const print = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, shown[index]?.align))
      .join(GAP)
      .trimEnd();
  const body = rows.flatMap((_row, at) =>
    linesOf(
      shown.map(({ cells }) => cells[at] ?? ''),
      widths,
    ),
  );
  const omitted = all.slice(shown.length).map(({ title }) => title);
  return [
    paint.bold(print(shown.map(({ title }) => title))),
    ...body.map(print),
    ...(omitted.length > 0 ? [paint.dim(`Not shown: ${omitted.join(', ')} (-o wide).`)] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
};

interface Measured {
  readonly title: string;
  readonly align: 'left' | 'right' | undefined;
  readonly cells: readonly string[];
  /** As wide as its longest text, or as `wrapAt`. */
  readonly width: number;
  /** As wide as its longest word. */
  readonly least: number;
}

const measure = <Row>(column: Column<Row>, rows: readonly Row[]): Measured => {
  const { title, align, wrapAt = Infinity } = column;
  const cells = rows.map((row) => printableStyled(column.cell(row)));
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(displayWidth));
  const least = widest([title, ...cells.flatMap((cell) => cell.split(' '))]);
  return { title, align, cells, least, width: Math.max(least, Math.min(wrapAt, widest(cells))) };
};

const columnsThatFit = (columns: readonly Measured[], width: number): readonly Measured[] =>
  columns.length > 1 && widthOf(columns.map(({ least }) => least)) > width
    ? columnsThatFit(columns.slice(0, -1), width)
    : columns;

const widthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

/** Takes from the widest column that can be narrower until all fit. */
const fitWidths = (columns: readonly Measured[], width: number): readonly number[] => {
  const widths = columns.map((column) => column.width);
  const canShrink = (at: number): boolean => (widths[at] ?? 0) > (columns[at]?.least ?? 0);
  while (widthOf(widths) > width) {
    const [widest] = [...widths.keys()]
      .filter(canShrink)
      .toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

const pad = (cell: string, width: number, align: 'left' | 'right' = 'left'): string =>
  align === 'right' ? padStart(cell, width) : padEnd(cell, width);

/** The lines of one row: as many as its tallest cell has. */
const linesOf = (cells: readonly string[], widths: readonly number[]): string[][] => {
  const wrapped = cells.map((cell, column) => wrap(cell, widths[column] ?? Infinity));
  const height = Math.max(...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => wrapped.map((cell) => cell[line] ?? ''));
};

/** Without its styles if it is wrapped: they would reach into the next column. */
const wrap = (text: string, width: number): string[] => {
  if (displayWidth(text) <= width) return [text];
  const lines = [''];
  for (const word of withoutStyles(text).split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    const joined = last === '' ? word : `${last} ${word}`;
    if (last === '' || displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
};

/** One field per line. */
export const renderFields = (
  fields: readonly (readonly [string, string])[],
  paint: Paint,
): string => {
  const width = Math.max(...fields.map(([name]) => displayWidth(name)));
  return fields
    .map(
      ([name, value]) =>
        `${paint.dim(padEnd(name, width))}${GAP}${printableStyled(value)}`.trimEnd() + '\n',
    )
    .join('');
};

/** A section of a result; its texts need not be safe for the terminal. */
export const renderSection = (section: Section, paint: Paint): string => {
  const body = bodyOf(section, paint);
  if (section.title === undefined) return body;
  return `${paint.bold(`${section.title}:`)}\n${body === '' ? 'none\n' : body}`;
};

const bodyOf = (section: Section, paint: Paint): string => {
  if ('text' in section) return printableLines(section.text);
  if ('fields' in section)
    return renderFields(
      section.fields.map(([label, value]) => [label, orDash(value)] as const),
      paint,
    );
  const { columns, rows } = section;
  if (rows.length === 0) return '';
  const cellAt = (index: number) => (row: (typeof rows)[number]) => orDash(row[index]);
  return renderTable(
    columns.map((column, index) => ({ ...column, cell: cellAt(index) })),
    rows,
    paint,
  );
};

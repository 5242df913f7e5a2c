import type { CliSection } from '../start/load-extensions.js';
import {
  displayWidth,
  orDash,
  padEnd,
  padStart,
  type Paint,
  printableLines,
  printableStyled,
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

/** Rows below their titles in aligned columns; every line ends with a newline. */
export const renderTable = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paint: Paint,
): string => {
  const body = rows.flatMap((row) => linesOf(columns, row));
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_column, index) =>
    Math.max(...[titles, ...body].map((line) => displayWidth(line[index] ?? ''))),
  );
  const print = (cells: readonly string[]): string =>
    cells.map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align)).join(GAP);
  return [paint.bold(print(titles).trimEnd()), ...body.map((line) => print(line).trimEnd())]
    .map((line) => `${line}\n`)
    .join('');
};

const pad = (cell: string, width: number, align: 'left' | 'right' = 'left'): string =>
  align === 'right' ? padStart(cell, width) : padEnd(cell, width);

/** The lines of one row: as many as its tallest cell has. */
const linesOf = <Row>(columns: readonly Column<Row>[], row: Row): string[][] => {
  const cells = columns.map(({ cell, wrapAt }) => wrap(printableStyled(cell(row)), wrapAt));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ''));
};

const wrap = (text: string, width = Infinity): string[] => {
  const lines = [''];
  for (const word of text.split(' ')) {
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

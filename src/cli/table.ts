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
  /** Longer cells are wrapped at spaces; in a narrow terminal, their long words as well. */
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
  const all = columns.map(({ cell, title, align, wrapAt }) => {
    const texts = rows.map((row) => printableStyled(cell(row)));
    return fill({ title, align, texts, isWrapped: wrapAt !== undefined }, wrapAt);
  });
  const shown = widthOf(all) <= paint.width ? all : narrow(all, paint.width);
  const print = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => pad(cell, shown[index]?.width ?? 0, shown[index]?.align))
      .join(GAP)
      .trimEnd();
  const omitted = all.slice(shown.length).map(({ title }) => title);
  return [
    paint.bold(print(shown.map(({ title }) => title))),
    ...rows.flatMap((_row, at) => linesOf(shown, at).map(print)),
    ...(omitted.length > 0 ? [paint.dim(`Not shown: ${omitted.join(', ')} (-o wide).`)] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
};

interface Texts {
  readonly title: string;
  readonly align: 'left' | 'right' | undefined;
  /** One for each row. */
  readonly texts: readonly string[];
  readonly isWrapped: boolean;
}

/** A column whose texts are wrapped. */
interface FilledColumn extends Texts {
  /** Of each row. */
  readonly lines: readonly (readonly string[])[];
  readonly width: number;
}

const fill = (column: Texts, wrapAt = Infinity, maxWord = Infinity): FilledColumn => {
  const lines = column.texts.map((text) => wrap(text, wrapAt, maxWord));
  return { ...column, lines, width: widest([column.title, ...lines.flat()]) };
};

const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);

const widthOf = (columns: readonly { readonly width: number }[]): number =>
  columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));

/** Longer words are broken where they have a mark, before a column is left out. */
const MAX_WORD = 14;

/** As many columns as fit, each at least as wide as its longest word that cannot be broken. */
const narrow = (columns: readonly FilledColumn[], width: number): readonly FilledColumn[] => {
  const narrowest = columns.map(({ title, texts, isWrapped }) => {
    const words = texts.flatMap((text) => text.split(' '));
    const longest = widest([title, ...words]);
    const pieces = words.flatMap((word) => piecesOf(word, MAX_WORD));
    return { width: isWrapped ? Math.min(longest, Math.max(MAX_WORD, widest(pieces))) : longest };
  });
  let count = columns.length;
  while (count > 1 && widthOf(narrowest.slice(0, count)) > width) count -= 1;
  const shown = columns.slice(0, count);
  const limits = shown.map((column) => ({ width: column.width }));
  while (widthOf(limits) > width) {
    const [wide] = limits
      .filter((limit, at) => limit.width > (narrowest[at]?.width ?? 0))
      .toSorted((one, other) => other.width - one.width);
    if (!wide) break;
    wide.width -= 1;
  }
  return shown.map((column, at) => fill(column, limits[at]?.width, limits[at]?.width));
};

const pad = (cell: string, width: number, align: 'left' | 'right' = 'left'): string =>
  align === 'right' ? padStart(cell, width) : padEnd(cell, width);

/** The lines of one row: as many as its tallest cell has. */
const linesOf = (columns: readonly FilledColumn[], row: number): string[][] => {
  const cells = columns.map(({ lines }) => lines[row] ?? []);
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ''));
};

/** Without its styles if it is wrapped: they would reach into the next column. */
const wrap = (text: string, width: number, maxWord: number): string[] => {
  if (displayWidth(text) <= width) return [text];
  const lines = [''];
  for (const word of withoutStyles(text).split(/(?<= )/))
    for (const piece of piecesOf(word, maxWord)) {
      const last = lines[lines.length - 1] ?? '';
      const joined = last + piece;
      if (last === '' || displayWidth(joined.trimEnd()) <= width) lines[lines.length - 1] = joined;
      else lines.push(piece);
    }
  return lines.map((line) => line.trimEnd());
};

/** A longer word, broken after its dots and the like: `grace.` `hopper@` `example.com`. */
const piecesOf = (word: string, maxWord: number): readonly string[] =>
  displayWidth(word.trimEnd()) > maxWord ? word.split(/(?<=[._@/[\]-])/) : [word];

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

import type { Command } from 'commander';
import { stringify } from 'yaml';
import { z } from 'zod';
import { csvCell } from '../client/csv.js';
import { itemsOf } from '../client/pages.js';
import type { Output } from './cli-context.js';

/** The formats of `-o`. */
export const FORMATS = ['table', 'wide', 'json', 'yaml', 'csv', 'html'] as const;

/** How results are printed: in a format, or as ids only. */
export type Format = Exclude<(typeof FORMATS)[number], 'wide'> | 'quiet';

/** The options that every command has. */
export const GlobalOptions = z.object({
  url: z.string().optional(),
  token: z.string().optional(),
  apiKey: z.string().optional(),
  profile: z.string().optional(),
  caFile: z.string().optional(),
  output: z.enum(FORMATS).default('table'),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
});
export type GlobalOptions = z.output<typeof GlobalOptions>;

export const formatIn = ({ output, json, quiet }: GlobalOptions): Format =>
  quiet ? 'quiet' : json ? 'json' : output === 'wide' ? 'table' : output;

/** Of a command that calls no gateway. */
export const formatOf = (command: Command): Format =>
  formatIn(GlobalOptions.parse(command.optsWithGlobals()));

/** A result in each format. */
export interface Views {
  readonly people: () => string;
  /** As JSON, from which YAML and CSV follow; absent: nothing is printed. */
  readonly json?: string;
  /** Absent: nothing is printed. */
  readonly quiet?: () => string;
}

/** Prints the result of a command that calls no gateway. */
export const printResult = (
  command: Command,
  { stdout }: { readonly stdout: Output },
  views: Views,
): void => stdout.write(render(formatOf(command), views));

export const render = (format: Format, { people, json, quiet }: Views): string => {
  if (format === 'table' || format === 'html') return people();
  if (format === 'quiet') return withLineBreak(quiet?.());
  if (json === undefined || format === 'json') return withLineBreak(json);
  const value: unknown = json === '' ? null : JSON.parse(json);
  return format === 'yaml' ? stringify(value) : csvOf(rowsIn(value));
};

const withLineBreak = (text = ''): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`;

/** Renders one result after the other, as they come: a line each, or a YAML document each. */
export const createStreamRenderer = (format: Format): ((views: Views) => string) => {
  let isFirst = true;
  return (views) => {
    const text = render(format, views);
    const shown =
      format === 'yaml'
        ? `---\n${text}`
        : format === 'csv' && !isFirst
          ? withoutHeader(text)
          : text;
    isFirst = false;
    return shown;
  };
};

const withoutHeader = (csv: string): string => csv.slice(csv.indexOf('\n') + 1);

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The items of a page; of another object, itself. */
const rowsIn = (value: unknown): readonly Row[] => {
  if (Array.isArray(value)) return value.filter(isRow);
  if (!isRow(value)) return [];
  const isPage = ['total', 'limit', 'next', 'next_after'].some((name) => name in value);
  return isPage ? itemsOf(value).filter(isRow) : [value];
};

/** The fields of the API as columns; values that are no text or number as JSON. */
const csvOf = (rows: readonly Row[]): string => {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return rows.length === 0 ? '' : lines.map((line) => `${line.map(cellOf).join(',')}\n`).join('');
};

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return csvCell(value);
  // A negative number is no formula.
  return typeof value === 'number' ? String(value) : csvCell(JSON.stringify(value));
};

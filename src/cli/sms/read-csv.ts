import { CsvError, parse } from 'csv-parse/sync';
import { misuse } from '../command-failure.js';

/** A member as the API takes one; what has no column is left out. */
export interface CsvMember {
  readonly phone_number: string;
  readonly display_name?: string | null;
  readonly valid_from?: string | null;
  readonly valid_until?: string | null;
}

export interface CsvRow {
  /** Of the file, counted from 1: what an editor shows. */
  readonly line: number;
  readonly member: CsvMember;
}

/** A line that cannot be imported, and why, without what stands in it. */
export interface BadLine {
  readonly line: number;
  readonly message: string;
}

export interface CsvFile {
  readonly rows: readonly CsvRow[];
  readonly bad: readonly BadLine[];
}

const COLUMNS = ['phone_number', 'display_name', 'valid_from', 'valid_until'] as const;
type Column = (typeof COLUMNS)[number];

const isColumn = (text: string): text is Column => COLUMNS.some((column) => column === text);

const SEPARATORS = [',', ';', '\t'] as const;

/** Spreadsheets write what is usual in their country: the header tells. */
const separatorOf = (text: string): string => {
  const [header = ''] = text.split(/\r?\n/, 1);
  const count = (separator: string): number => header.split(separator).length;
  return [...SEPARATORS].sort((one, other) => count(other) - count(one))[0] ?? ',';
};

const readHeader = (cells: readonly string[]): readonly Column[] => {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.find((name) => !isColumn(name));
  const hint = `The columns are ${COLUMNS.join(', ')}; the first one is needed.`;
  if (unknown !== undefined) misuse(`The file has a column that is not known: "${unknown}".`, hint);
  if (new Set(names).size < names.length) misuse('The file names a column twice.', hint);
  if (!names.includes('phone_number')) misuse('The file has no column phone_number.', hint);
  return names.filter(isColumn);
};

/** Undoes what the export does to a text that a spreadsheet would run. */
const withoutGuard = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

const memberOf = (cells: Readonly<Record<string, string>>): CsvMember => {
  const { phone_number = '', ...others } = cells;
  const given = Object.entries(others).map(
    ([column, cell]) => [column, cell === '' ? null : withoutGuard(cell)] as const,
  );
  return { phone_number: withoutGuard(phone_number), ...Object.fromEntries<string | null>(given) };
};

interface Parsed {
  readonly record: Readonly<Record<string, string>>;
  /** The error is that of a line whose cells are too few or too many. */
  readonly info: { readonly lines: number; readonly error?: unknown };
}

const isBad = ({ info }: Parsed): boolean => info.error !== undefined;

const fileOf = (parsed: readonly Parsed[]): CsvFile => ({
  rows: parsed
    .filter((each) => !isBad(each))
    .map(({ record, info }) => ({ line: info.lines, member: memberOf(record) })),
  bad: parsed
    .filter(isBad)
    .map(({ info }) => ({ line: info.lines, message: 'has not as many cells as the header' })),
});

/** What is in a file. Throws a CommandFailure where it is no CSV, or has other columns. */
export const readSmsCsv = (text: string): CsvFile => {
  if (text.trim() === '') misuse('The file is empty.');
  try {
    const parsed = parse(text, {
      bom: true,
      columns: (cells: readonly string[]) => [...readHeader(cells)],
      delimiter: separatorOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      // Spreadsheets leave lines behind that are nothing but separators.
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as readonly Parsed[];
    return fileOf(parsed);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Its message may quote the file, and with it a number.
    const line = 'lines' in error ? ` near line ${String(error.lines)}` : '';
    return misuse(`The file is no CSV${line} (${error.code}).`);
  }
};

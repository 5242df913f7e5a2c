import { CsvError, parse } from 'csv-parse/sync';
import { csvCell, withoutGuard } from '../client/csv.js';
import { usageError } from './cli-error.js';
import { z } from 'zod';

/** A member as the API expects it; fields without a column are absent. */
interface CsvMember {
  readonly phone_number: string;
  readonly display_name?: string | null;
  readonly valid_from?: string | null;
  readonly valid_until?: string | null;
}

export interface CsvRow {
  /** In the file, counted from 1. */
  readonly line: number;
  readonly member: CsvMember;
}

/** A line that cannot be imported; the message does not quote it. */
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

/** Spreadsheets use the separator of their country: take the most frequent in the header. */
const separatorOf = (text: string): string => {
  const [header = ''] = text.split(/\r?\n/, 1);
  const count = (separator: string): number => header.split(separator).length;
  return [...SEPARATORS].sort((one, other) => count(other) - count(one))[0] ?? ',';
};

const readHeader = (cells: readonly string[]): readonly Column[] => {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.find((name) => !isColumn(name));
  const hint = `Allowed columns: ${COLUMNS.join(', ')}. phone_number is required.`;
  if (unknown !== undefined) usageError(`Unknown column "${unknown}".`, hint);
  if (new Set(names).size < names.length) usageError('The file has the same column twice.', hint);
  if (!names.includes('phone_number')) usageError('The file has no column phone_number.', hint);
  return names.filter(isColumn);
};

const memberOf = (cells: Readonly<Record<string, string>>): CsvMember => {
  const { phone_number = '', ...others } = cells;
  const given = Object.entries(others).map(
    ([column, cell]) => [column, cell === '' ? null : withoutGuard(cell)] as const,
  );
  return { phone_number: withoutGuard(phone_number), ...Object.fromEntries<string | null>(given) };
};

interface Parsed {
  readonly record: Readonly<Record<string, string>>;
  /** `error` is set if the line has too few or too many cells. */
  readonly info: { readonly lines: number; readonly error?: unknown };
}

const isBad = ({ info }: Parsed): boolean => info.error !== undefined;

const fileOf = (parsed: readonly Parsed[]): CsvFile => ({
  rows: parsed
    .filter((each) => !isBad(each))
    .map(({ record, info }) => ({ line: info.lines, member: memberOf(record) })),
  bad: parsed
    .filter(isBad)
    .map(({ info }) => ({ line: info.lines, message: 'number of cells differs from the header' })),
});

/** Parses a file; throws a CliError if it is not CSV or has other columns. */
export const readSmsCsv = (text: string): CsvFile => {
  if (text.trim() === '') usageError('The file is empty.');
  try {
    const parsed = parse(text, {
      bom: true,
      columns: (cells: readonly string[]) => [...readHeader(cells)],
      delimiter: separatorOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      // Spreadsheets append lines that consist of separators only.
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as readonly Parsed[];
    return fileOf(parsed);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Its message may quote the file, including a number.
    const line = 'lines' in error ? ` near line ${String(error.lines)}` : '';
    return usageError(`The file is not valid CSV${line} (${error.code}).`);
  }
};

/** The fields of a member that are exported. */
export const SmsMemberView = z.object({
  phone_number: z.string(),
  display_name: z.string().nullable(),
  valid_from: z.string().nullable(),
  valid_until: z.string().nullable(),
});

export const CSV_HEADER = 'phone_number,display_name,valid_from,valid_until\n';

/** A number is never guarded: `+` and digits are harmless, and programs expect E.164. */
export const csvLineOf = ({
  phone_number,
  display_name,
  valid_from,
  valid_until,
}: z.output<typeof SmsMemberView>): string =>
  [phone_number, csvCell(display_name ?? ''), valid_from ?? '', valid_until ?? ''].join(',') + '\n';

import { csvCell } from '../client/csv.js';

type Value = string | number | boolean | null;

/** A column of a CSV file. */
export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => Value];

const cellOf = (value: Value): string =>
  typeof value === 'string' ? csvCell(value) : String(value ?? '');

/** The media type of CSV files. */
export const CSV_TYPE = 'text/csv; charset=utf-8';

/** A CSV file (RFC 4180) with these columns, as its first line and a function for the others. */
export const csvOf = <Row>(columns: readonly CsvColumn<Row>[]) => ({
  type: CSV_TYPE,
  header: `${columns.map(([name]) => name).join(',')}\r\n`,
  lineOf: (row: Row): string => `${columns.map(([, value]) => cellOf(value(row))).join(',')}\r\n`,
});

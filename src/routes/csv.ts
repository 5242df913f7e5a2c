type Value = string | number | boolean | null;

/** A column of a CSV file. */
export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => Value];

/**
 * A spreadsheet runs text that begins like a formula, also after blanks or in full-width characters; an
 * apostrophe prevents it.
 */
const guarded = (text: string): string =>
  /^\s*[=+\-@|%＝＋－＠\t\r]/.test(text) ? `'${text}` : text;

/** RFC 4180, 2.6 and 2.7. */
const quoted = (text: string): string =>
  /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const cellOf = (value: Value): string =>
  typeof value === 'string' ? quoted(guarded(value)) : String(value ?? '');

/** The media type of CSV files. */
export const CSV_TYPE = 'text/csv; charset=utf-8';

/** A CSV file (RFC 4180) with these columns, as its first line and a function for the others. */
export const csvOf = <Row>(columns: readonly CsvColumn<Row>[]) => ({
  type: CSV_TYPE,
  header: `${columns.map(([name]) => name).join(',')}\r\n`,
  lineOf: (row: Row): string => `${columns.map(([, value]) => cellOf(value(row))).join(',')}\r\n`,
});

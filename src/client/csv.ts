/** A row of a CSV file. */
export interface CsvRow {
  /** In the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The file ends within a quote of this row. */
  readonly isCut?: true;
}

/** Commas, semicolons or tabs, whichever comes first. */
export const separatorOf = (text: string): string => {
  const [head = ''] = text.split('\n', 1);
  return /[,;\t]/.exec(head.replaceAll(/"[^"]*"/g, ''))?.[0] ?? ',';
};

/** Splits CSV, which may have quotes, into rows of cells. */
export const splitCsv = (text: string, separator = separatorOf(text)): readonly CsvRow[] => {
  const rows: CsvRow[] = [];
  let [cell, isQuoted, line] = ['', false, 1];
  let row = { line, cells: [] as string[] };
  const endRow = () => {
    row.cells.push(cell.trim());
    if (row.cells.some((value) => value !== ''))
      rows.push(isQuoted ? { ...row, isCut: true } : row);
    cell = '';
    row = { line: line + 1, cells: [] };
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (isQuoted && char === '"' && text.charAt(at + 1) === '"') {
      cell += '"';
      at += 1;
    } else if (char === '"' && (isQuoted || cell.trim() === '')) isQuoted = !isQuoted;
    else if (!isQuoted && char === separator) {
      row.cells.push(cell.trim());
      cell = '';
    } else if (!isQuoted && char === '\n') endRow();
    else if (char !== '\r') cell += char;
    if (char === '\n') line += 1;
  }
  endRow();
  return rows;
};

/** Text that a spreadsheet runs, also after blanks or in full-width characters; or a guarded one. */
const FORMULA = /^'*\s*[=+\-@|%＝＋－＠\t\r]/;

/**
 * An apostrophe prevents that a spreadsheet runs text. Text that already begins with an apostrophe gets
 * another one, so that `withoutGuard` can always remove one.
 */
const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Removes the apostrophe that `csvCell` puts before formulas. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** RFC 4180, 2.6 and 2.7; many readers trim blanks at an end unless they are quoted. */
const quoted = (text: string): string =>
  /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Text as a cell, safe for spreadsheets. */
export const csvCell = (text: string): string => quoted(guarded(text));

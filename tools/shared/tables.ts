import { type Column, renderTable } from '../../src/cli/table.js';
import { createPaint } from '../../src/cli/terminal-text.js';

const SIGNIFICANT = 3;

/** Three significant digits without an exponent; a dash if there is no number. */
export const formatNumber = (value: number | undefined): string => {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  if (value === 0) return '0';
  const decimals = SIGNIFICANT - 1 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(SIGNIFICANT, Math.max(0, decimals)));
};

const PLAIN = createPaint(false);

/** A table below its title. */
export const tableOf = <Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): string => `${title}\n${rows.length === 0 ? '' : renderTable(columns, rows, PLAIN)}`;

export const textColumn = <Row>(title: string, cell: (row: Row) => string): Column<Row> => ({
  title,
  cell,
});

export const numberColumn = <Row>(
  title: string,
  value: (row: Row) => number | undefined,
): Column<Row> => ({
  title,
  align: 'right',
  cell: (row) => formatNumber(value(row)),
});

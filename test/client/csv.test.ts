import { describe, expect, it } from 'vitest';
import { csvCell, splitCsv, withoutGuard } from '../../src/client/csv.js';

describe('a cell of CSV', () => {
  it.each([
    ...['=1+1', '+1', '-1', '@x', '\tx', 'a,b', 'a"b', "'", 'a\nb'],
    ...["'=1+1", "''@x", "'Zoë", "' =1"],
  ])('preserves the text %j', (text) => {
    const [row] = splitCsv(`${csvCell(text)},x\n`);
    expect(withoutGuard(row?.cells[0] ?? '')).toBe(text);
  });
});

describe('rows of CSV', () => {
  it.each([
    ['commas', 'phone_number,display_name\n+49 1,Ada\n'],
    ['semicolons, as spreadsheets write them', 'phone_number;display_name\r\n+49 1;Ada\r\n'],
    ['tabs', 'phone_number\tdisplay_name\n+49 1\tAda'],
  ])('are separated by %s', (_, text) => {
    expect(splitCsv(text)[1]).toEqual({ line: 2, cells: ['+49 1', 'Ada'] });
  });

  it('keep separators, quotes and lines within quotes, and have the number of their line', () => {
    expect(splitCsv('number,name\n1,"Ada, ""Countess""\nof L."\n\n2,Bob').slice(1)).toEqual([
      { line: 2, cells: ['1', 'Ada, "Countess"\nof L.'] },
      { line: 5, cells: ['2', 'Bob'] },
    ]);
  });
});

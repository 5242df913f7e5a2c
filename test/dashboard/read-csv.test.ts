import { describe, expect, it } from 'vitest';
import { readRows } from '../../plugins/dashboard/app/read-csv.js';

const numbersOf = (text: string) =>
  readRows(text).rows.map(({ phone_number: number, display_name: name }) => [number, name]);

describe('an imported file', () => {
  it.each([
    ['commas', 'phone_number,display_name\n+49 1,Ada\n'],
    ['semicolons, as spreadsheets write them', '\uFEFFPhone;Name\r\n+49 1;Ada\r\n'],
    ['tabs, in another order', 'Name\tMobile number\nAda\t+49 1'],
    ['no titles', '+49 1,Ada'],
  ])('is read with %s', (_, text) => {
    expect(numbersOf(text)).toEqual([['+49 1', 'Ada']]);
  });

  it('keeps separators, quotes and lines within quotes, and the number of each line', () => {
    const { rows } = readRows('number,name\n1,"Ada, ""Countess""\nof L."\n\n2,Bob');
    expect(rows).toMatchObject([
      { line: 2, phone_number: '1', display_name: 'Ada, "Countess"\nof L.' },
      { line: 5, phone_number: '2', display_name: 'Bob' },
    ]);
  });

  it('names only the columns it has, so that the others stay as they are', () => {
    expect(readRows('number,until\n1,2027-01-01').fields).toEqual(['phone_number', 'valid_until']);
  });

  it('leaves a time that it cannot read to the gateway', () => {
    const [row] = readRows('number,from,until\n1,soon,2027-01-01T00:00:00Z').rows;
    expect(row).toMatchObject({ valid_from: 'soon', valid_until: '2027-01-01T00:00:00.000Z' });
  });
});

import { describe, expect, it } from 'vitest';
import { readRows } from '../../plugins/dashboard/app/read-csv.js';

const numbersOf = (text: string) =>
  readRows(text).map(({ member }) => [member.phone_number, member.display_name]);

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
    expect(readRows('number,name\n1,"Ada, ""Countess""\nof L."\n\n2,Bob')).toEqual([
      { line: 2, member: { phone_number: '1', display_name: 'Ada, "Countess"\nof L.' } },
      { line: 5, member: { phone_number: '2', display_name: 'Bob' } },
    ]);
  });

  it('names only the columns it has, so that the others stay as they are', () => {
    const [row] = readRows('number,until\n1,');
    expect(row?.member).toEqual({ phone_number: '1', valid_until: null });
  });

  it('restores names that an export protects from spreadsheets', () => {
    const names = ["'=1+1", "''@x", "'Zoë"].map((name) => numbersOf(`1,${name}`)[0]?.[1]);
    expect(names).toEqual(['=1+1', "'@x", "'Zoë"]);
  });

  it('leaves a time that it cannot read to the gateway', () => {
    const [row] = readRows('number,from,until\n1,soon,2027-01-01T00:00:00Z');
    expect(row?.member).toMatchObject({
      valid_from: 'soon',
      valid_until: '2027-01-01T00:00:00.000Z',
    });
  });
});

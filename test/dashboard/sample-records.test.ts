import { describe, expect, it } from 'vitest';
import { readSample } from '../../plugins/dashboard/app/sample-records.js';

describe('a sample', () => {
  it('of CSV gets the names of the fields of the source', () => {
    const text = 'Employee ID,Shoe size,mail\n1,,ada@example.com\n';
    expect(readSample(text, ['employeeId', 'mail'])).toEqual([
      { employeeId: '1', mail: 'ada@example.com' },
    ]);
  });

  it.each([
    ['a list', '[{"id":1},{"id":2}]'],
    ['a list in an object', '{"page":{"n":1},"data":[{"id":1},{"id":2}]}'],
    ['lines', '{"id":1}\n{"id":2}\n'],
  ])('of JSON is %s', (_, text) => {
    expect(readSample(text, [])).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../src/domain/refusals.js';
import { readListQuery } from '../../src/scim/list-query.js';
import { bondOf, cursorsBeside, readCursor, writeCursor } from '../../src/scim/cursor.js';
import { USER } from '../../src/scim/user-schema.js';

const BOND = bondOf({ types: ['User'], filters: [undefined], sorts: [undefined] });

const position = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 });

const refusalOf = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  return undefined;
};

const bondFor = (parameters: Record<string, string>): string | undefined =>
  readListQuery(USER, new Map(Object.entries({ cursor: '', ...parameters }))).cursor?.bond;

describe('a cursor', () => {
  it('leads back to where it was made, and is safe in a URL', () => {
    fc.assert(
      fc.property(position, fc.constantFrom('after' as const, 'before' as const), (at, to) => {
        const cursor = writeCursor({ to, position: at }, BOND);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(readCursor(cursor, BOND)).toEqual({ to, position: at });
      }),
    );
  });

  it('that is empty asks for the first page', () => {
    expect(readCursor('', BOND)).toEqual({ to: 'first' });
  });

  it.each([
    ['no cursor', 'x'],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['no direction', Buffer.from(JSON.stringify([BOND, 'up', 1])).toString('base64url')],
    ['objects for a place', Buffer.from(JSON.stringify([BOND, 'after', {}])).toString('base64url')],
    ['too much', 'a'.repeat(9_000)],
  ])('that is %s is refused', (_what, text) => {
    expect(refusalOf(() => readCursor(text, BOND))).toMatchObject({
      code: 'INVALID_REQUEST',
      scimType: 'invalidCursor',
    });
  });

  it('holds for the filter and order that it was made for, however these are written', () => {
    expect(bondFor({ filter: 'userName eq "A"' })).toBe(bondFor({ filter: 'USERNAME EQ "A"' }));
    const all = [
      {},
      { filter: 'userName eq "a"' },
      { filter: 'userName eq "b"' },
      { sortby: 'userName' },
      { sortby: 'userName', sortorder: 'descending' },
      { sortby: 'id' },
    ];
    expect(new Set(all.map(bondFor)).size).toBe(all.length);
    const other = bondFor({ filter: 'active eq true' }) ?? '';
    const cursor = writeCursor({ to: 'after', position: [1] }, BOND);
    expect(refusalOf(() => readCursor(cursor, other))).toMatchObject({ scimType: 'invalidCursor' });
  });

  it('is in an answer for each neighbour that there is', () => {
    expect(cursorsBeside({}, BOND)).toEqual({});
    expect(Object.keys(cursorsBeside({ next: [1], previous: [0] }, BOND))).toEqual([
      'nextCursor',
      'previousCursor',
    ]);
  });

  it('excludes startIndex', () => {
    const both = new Map([
      ['cursor', ''],
      ['startindex', '1'],
    ]);
    expect(refusalOf(() => readListQuery(USER, both))).toMatchObject({ scimType: 'invalidValue' });
  });
});

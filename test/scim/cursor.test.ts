import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../src/ports/users.js';
import { readListQuery, hashQuery, pageCursors, readCursor } from '../../src/scim/list-query.js';
import { USER } from '../../src/scim/schemas.js';
import { refusalOf } from './refusal-of.js';

const QUERY_HASH = hashQuery({ types: ['User'], filters: [undefined], sorts: [undefined] });

const position = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 });

const cursorTo = (to: 'after' | 'before', at: Position): string => {
  const { nextCursor, previousCursor } = pageCursors({ next: at, previous: at }, QUERY_HASH);
  return (to === 'after' ? nextCursor : previousCursor)!;
};

const queryHashFor = (parameters: Record<string, string>): string | undefined =>
  readListQuery(USER, new Map(Object.entries({ cursor: '', ...parameters }))).cursor?.queryHash;

describe('a cursor', () => {
  it('contains its position, and is URL-safe', () => {
    fc.assert(
      fc.property(position, fc.constantFrom('after' as const, 'before' as const), (at, to) => {
        const cursor = cursorTo(to, at);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(readCursor(cursor, QUERY_HASH)).toEqual({ to, position: at });
      }),
    );
  });

  it('requests the first page if it is empty', () => {
    expect(readCursor('', QUERY_HASH)).toEqual({ to: 'first' });
  });

  it.each([
    ['not base64url of JSON', 'x'],
    ['not a list', Buffer.from('{}').toString('base64url')],
    [
      'without a direction',
      Buffer.from(JSON.stringify([QUERY_HASH, 'up', 1])).toString('base64url'),
    ],
    [
      'with objects in its position',
      Buffer.from(JSON.stringify([QUERY_HASH, 'after', {}])).toString('base64url'),
    ],
    ['too long', 'a'.repeat(9_000)],
  ])('is refused if it is %s', (_what, text) => {
    expect(refusalOf(() => readCursor(text, QUERY_HASH))).toMatchObject({
      code: 'INVALID_REQUEST',
      scimType: 'invalidCursor',
    });
  });

  it('is valid only for its own filter and order, regardless of how they are written', () => {
    expect(queryHashFor({ filter: 'userName eq "A"' })).toBe(
      queryHashFor({ filter: 'USERNAME EQ "A"' }),
    );
    const all = [
      {},
      { filter: 'userName eq "a"' },
      { filter: 'userName eq "b"' },
      { sortby: 'userName' },
      { sortby: 'userName', sortorder: 'descending' },
      { sortby: 'id' },
    ];
    expect(new Set(all.map(queryHashFor)).size).toBe(all.length);
    const other = queryHashFor({ filter: 'active eq true' }) ?? '';
    const cursor = cursorTo('after', [1]);
    expect(refusalOf(() => readCursor(cursor, other))).toMatchObject({ scimType: 'invalidCursor' });
  });

  it('is returned for each adjacent page', () => {
    expect(pageCursors({}, QUERY_HASH)).toEqual({});
    expect(Object.keys(pageCursors({ next: [1], previous: [0] }, QUERY_HASH))).toEqual([
      'nextCursor',
      'previousCursor',
    ]);
  });

  it('must not be combined with startIndex', () => {
    const both = new Map([
      ['cursor', ''],
      ['startindex', '1'],
    ]);
    expect(refusalOf(() => readListQuery(USER, both))).toMatchObject({ scimType: 'invalidValue' });
  });
});

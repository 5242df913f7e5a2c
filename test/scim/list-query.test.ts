import { describe, expect, it } from 'vitest';
import {
  readListQuery,
  readSearchRequest,
  type SearchParameters,
} from '../../src/scim/list-query.js';
import { USER } from '../../src/scim/schemas.js';
import { refusalOf } from './refusal-of.js';

const parametersOf = (given: object): SearchParameters => new Map(Object.entries(given));
const read = (given: object) => readListQuery(USER, parametersOf(given));

describe('readListQuery', () => {
  it('returns the first page of 100 without parameters', () => {
    expect(read({})).toEqual({ startIndex: 1, count: 100, projection: { kind: 'all' } });
  });

  it.each([
    ['startindex', '11', { startIndex: 11 }],
    ['startindex', 11, { startIndex: 11 }],
    ['startindex', '0', { startIndex: 1 }],
    ['startindex', '-5', { startIndex: 1 }],
    ['startindex', '', { startIndex: 1 }],
    ['startindex', '999999999999999', { startIndex: 2 ** 31 - 1 }],
    ['count', '0', { count: 0 }],
    ['count', 0, { count: 0 }],
    ['count', '-1', { count: 0 }],
    ['count', '1000', { count: 1000 }],
    ['count', '1001', { count: 1000 }],
    ['count', null, { count: 100 }],
  ])('reads %s of %j', (name, value, expected) => {
    expect(read({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['startindex', 'x'],
    ['startindex', '1.5'],
    ['startindex', 1.5],
    ['count', '1e3'],
    ['count', '0x10'],
    ['count', ' 1'],
    ['count', '9'.repeat(400)],
    ['count', {}],
    ['count', true],
    ['sortby', 5],
    ['sortorder', 'up'],
    ['attributes', 5],
    ['attributes', [5]],
    ['excludedattributes', {}],
    ['filter', 5],
  ])('refuses %s of %j', (name, value) => {
    const refusal = refusalOf(() => read({ [name]: value }));
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', scimType: 'invalidValue' });
    expect(refusal.details).toHaveLength(1);
  });

  it('refuses an invalid count with invalidCount if there is a cursor (RFC 9865)', () => {
    const refusal = refusalOf(() => read({ cursor: '', count: 'x' }));
    expect(refusal).toMatchObject({ scimType: 'invalidCount', details: [{ path: 'count' }] });
  });

  it('refuses an empty or malformed filter', () => {
    expect(refusalOf(() => read({ filter: '' })).code).toBe('INVALID_FILTER');
    expect(refusalOf(() => read({ filter: 'x' })).code).toBe('INVALID_FILTER');
    expect(refusalOf(() => read({ filter: 'constructor.keys eq "x"' })).code).toBe(
      'INVALID_FILTER',
    );
  });

  it.each(['attributes', 'excludedattributes'])('refuses reserved names in %s', (name) => {
    const refusal = refusalOf(() => read({ [name]: 'name.__proto__.polluted' }));
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', scimType: 'invalidPath' });
  });

  it('accepts attribute names as a string or as a list', () => {
    const expected = {
      kind: 'only',
      names: new Map([
        ['userName', 'all'],
        ['title', 'all'],
        ['schemas', 'all'],
        ['id', 'all'],
      ]),
    };
    expect(read({ attributes: 'userName, title,,' }).projection).toEqual(expected);
    expect(read({ attributes: ['userName', 'title'] }).projection).toEqual(expected);
  });

  it.each([
    ['USERNAME', 'descending', ['userName'], true],
    ['meta.lastmodified', 'Ascending', ['meta', 'lastModified'], false],
    [`${USER.urn}:displayName`, undefined, ['displayName'], false],
  ])('sorts by %s, %s', (sortby, sortorder, path, descending) => {
    const { sort } = read({ sortby, ...(sortorder && { sortorder }) });
    expect(sort).toMatchObject({ attribute: { path }, descending });
  });

  it.each(['title', 'emails.value', 'shoeSize', '__proto__', 'password'])(
    'refuses to sort by %s',
    (sortby) => {
      const { details } = refusalOf(() => read({ sortby }));
      expect(details).toEqual([
        {
          path: 'sortBy',
          message: 'must be one of id, userName, displayName, meta.created, meta.lastModified',
        },
      ]);
    },
  );
});

describe('readSearchRequest', () => {
  it('accepts the same parameters, with names in any case', () => {
    const parameters = readSearchRequest({ Filter: 'title pr', startIndex: 2, schemas: [] });
    expect(readListQuery(USER, parameters)).toMatchObject({
      startIndex: 2,
      filter: { kind: 'present' },
    });
  });

  it('refuses a duplicate parameter and a body that is not an object', () => {
    expect(refusalOf(() => readSearchRequest({ count: 1, COUNT: 2 })).scimType).toBe(
      'invalidValue',
    );
    expect(refusalOf(() => readSearchRequest([])).scimType).toBe('invalidSyntax');
  });
});

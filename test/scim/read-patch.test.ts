import { describe, expect, it } from 'vitest';
import { readUserPatch } from '../../src/scim/read-patch.js';
import { refusalOf } from './refusal-of.js';

const read = (body: unknown) => readUserPatch(body);

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const Operations = [{ op: 'add', path: 'title', value: 't' }];

describe('readUserPatch', () => {
  it.each([
    ['the schema', { schemas: [PATCH_OP], Operations }],
    ['no schema', { Operations }],
    ['additional schemas', { schemas: [PATCH_OP, 'urn:other'], Operations }],
    ['schemas that are not a list', { schemas: 'x', Operations }],
    ['names in any case', { operations: [{ OP: 'add', Path: 'title', Value: 't' }] }],
    ['unknown keys', { id: 'x', Operations: [{ ...Operations[0], name: 'addMember' }] }],
  ])('accepts %s', (_what, body) => {
    expect(read(body)).toEqual([{ op: 'add', path: ['title'], value: 't' }]);
  });

  it.each([
    ['an empty body', undefined, 'invalidSyntax'],
    ['a list', [], 'invalidSyntax'],
    ['a string', 'x', 'invalidSyntax'],
    ['an object without operations', {}, 'invalidValue'],
    ['operations under another name', { Steps: Operations }, 'invalidValue'],
    ['duplicate operations', { Operations, operations: [] }, 'invalidValue'],
    [
      'a duplicate value',
      { Operations: [{ op: 'remove', path: 'emails', value: [], Value: ['a@b.c'] }] },
      'invalidValue',
    ],
    ['operations that are not a list', { Operations: {} }, 'invalidValue'],
    ['null operations', { Operations: null }, 'invalidValue'],
  ])('refuses %s', (_what, body, scimType) => {
    expect(refusalOf(() => read(body))).toMatchObject({ code: 'INVALID_REQUEST', scimType });
  });

  it.each([
    ['no Operations', { schemas: [PATCH_OP] }],
    ['null Operations', { schemas: [PATCH_OP], Operations: null }],
    ['an empty list of Operations', { schemas: [PATCH_OP], Operations: [] }],
    ['only the schema, in upper case', { Schemas: [PATCH_OP.toUpperCase()] }],
  ])('returns no changes for a body with the schema and %s', (_what, body) => {
    expect(read(body)).toEqual([]);
  });

  it("returns one change per attribute, with a path and a value of the attribute's type", () => {
    const value = { active: 'False', 'name.givenName': 'A', title: '', shoe: 1, emails: 'a@b' };
    expect(read({ Operations: [{ op: 'Replace', value }] })).toEqual([
      { op: 'replace', path: ['active'], value: false },
      { op: 'replace', path: ['name', 'givenName'], value: 'A' },
      { op: 'replace', path: ['title'], value: null },
      { op: 'replace', path: ['emails'], value: [{ value: 'a@b' }] },
    ]);
  });

  it('reports every error at once', () => {
    const wrong = [
      { op: 'add', path: 'active', value: 'maybe' },
      { op: 'add', value: { title: true, name: 'x' } },
    ];
    const { details } = refusalOf(() => read({ Operations: wrong }));
    expect(details?.map(({ path }) => path)).toEqual(['active', 'title', 'name']);
  });

  it.each([
    { op: 'replace', path: 'userName', value: '  ' },
    { op: 'add', value: { userName: '\u3000' } },
  ])('refuses a blank value for a required attribute: %j', (operation) => {
    expect(refusalOf(() => read({ Operations: [operation] }))).toMatchObject({
      scimType: 'invalidValue',
      details: [{ path: 'userName', message: 'is required' }],
    });
  });

  const times = (count: number, operation: object) => ({
    Operations: Array.from({ length: count }, () => operation),
  });

  it.each([
    ['operations', 1000, { op: 'add', path: 'title', value: 't' }],
    ['attributes in values', 500, { op: 'add', value: { title: 't', nickName: 'n' } }],
    ['values in lists', 500, { op: 'add', path: 'emails', value: ['a@b', 'c@d'] }],
    ['conditions', 500, { op: 'remove', path: 'emails[type eq "a" and not (value pr)]' }],
  ])('accepts at most 1,000 %s', (_what, count, operation) => {
    expect(read(times(count, operation)).length).toBeGreaterThan(0);
    expect(refusalOf(() => read(times(count + 1, operation)))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      scimType: 'tooMany',
    });
  });

  it.each([
    ['10 conditions', `emails[${Array(11).fill('type pr').join(' or ')}]`],
    ['1024 characters', `emails[value eq "${'a'.repeat(1100)}"]`],
    ['20 levels', `emails[${'('.repeat(21)}type pr${')'.repeat(21)}]`],
  ])('accepts paths with at most %s', (limit, path) => {
    const refusal = refusalOf(() => read({ Operations: [{ op: 'remove', path }] }));
    expect(refusal.scimType).toBe('invalidPath');
    expect(refusal.message).toContain(limit);
  });

  it('ignores malformed names in a value without a path', () => {
    const value = { '(shoe)': 1, 'shoe size': 2, '[': 3, '': 4, title: 't' };
    expect(read({ Operations: [{ op: 'add', value }] })).toEqual([
      { op: 'add', path: ['title'], value: 't' },
    ]);
  });
});

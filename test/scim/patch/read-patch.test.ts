import { describe, expect, it } from 'vitest';
import { readPatch } from '../../../src/scim/patch/read-patch.js';
import { USER } from '../../../src/scim/user-schema.js';
import { refusalOf } from '../refusals.js';

const read = (body: unknown) => readPatch(USER, body, 'the-id');

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const Operations = [{ op: 'add', path: 'title', value: 't' }];

describe('the body of a PATCH', () => {
  it.each([
    ['the schema', { schemas: [PATCH_OP], Operations }],
    ['no schema', { Operations }],
    ['further schemas', { schemas: [PATCH_OP, 'urn:other'], Operations }],
    ['schemas that are no list', { schemas: 'x', Operations }],
    ['names in any case', { operations: [{ OP: 'add', Path: 'title', Value: 't' }] }],
    ['keys that nobody knows', { id: 'x', Operations: [{ ...Operations[0], name: 'addMember' }] }],
  ])('may have %s', (_what, body) => {
    expect(read(body)).toEqual(Operations);
  });

  it.each([
    ['nothing', undefined, 'invalidSyntax'],
    ['a list', [], 'invalidSyntax'],
    ['a text', 'x', 'invalidSyntax'],
    ['no operations', {}, 'invalidValue'],
    ['operations under another name', { Steps: Operations }, 'invalidValue'],
    ['operations twice', { Operations, operations: [] }, 'invalidValue'],
    [
      'a value twice',
      { Operations: [{ op: 'remove', path: 'emails', value: [], Value: ['a@b.c'] }] },
      'invalidValue',
    ],
    ['operations that are no list', { Operations: {} }, 'invalidValue'],
    ['operations that are null', { Operations: null }, 'invalidValue'],
  ])('is refused where it is %s', (_what, body, scimType) => {
    expect(refusalOf(() => read(body))).toMatchObject({ code: 'INVALID_REQUEST', scimType });
  });

  it.each([
    ['no Operations', { schemas: [PATCH_OP] }],
    ['Operations that are null', { schemas: [PATCH_OP], Operations: null }],
    ['an empty list of them', { schemas: [PATCH_OP], Operations: [] }],
    ['the schema in other letters', { Schemas: [PATCH_OP.toUpperCase()] }],
  ])('changes nothing where it has the schema and %s', (_what, body) => {
    expect(read(body)).toEqual([]);
  });

  it('becomes one operation for each attribute, with a path and a value of its type', () => {
    const value = { active: 'False', 'name.givenName': 'A', title: '', shoe: 1, emails: 'a@b' };
    expect(read({ Operations: [{ op: 'Replace', value }] })).toEqual([
      { op: 'replace', path: 'active', value: false },
      { op: 'replace', path: 'name.givenName', value: 'A' },
      { op: 'replace', path: 'title', value: null },
      { op: 'replace', path: 'emails', value: [{ value: 'a@b' }] },
    ]);
  });

  it('is refused with every fault at once', () => {
    const wrong = [
      { op: 'add', path: 'active', value: 'maybe' },
      { op: 'add', value: { title: 5, name: 'x' } },
    ];
    const { details } = refusalOf(() => read({ Operations: wrong }));
    expect(details?.map(({ path }) => path)).toEqual(['active', 'title', 'name']);
  });

  it.each([
    { op: 'replace', path: 'userName', value: '  ' },
    { op: 'add', value: { userName: '\u3000' } },
  ])('gives no required attribute a blank value: %j', (operation) => {
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
  ])('may have 1,000 %s', (_what, count, operation) => {
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
  ])('has paths of %s at most', (limit, path) => {
    const refusal = refusalOf(() => read({ Operations: [{ op: 'remove', path }] }));
    expect(refusal.scimType).toBe('invalidPath');
    expect(refusal.message).toContain(limit);
  });

  it('passes over names without a path that could be no name', () => {
    const value = { '(shoe)': 1, 'shoe size': 2, '[': 3, '': 4, title: 't' };
    expect(read({ Operations: [{ op: 'add', value }] })).toEqual([
      { op: 'add', path: 'title', value: 't' },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/domain/in-pieces.js';
import { RefusalError } from '../../src/domain/refusals.js';
import { readGroup, readGroupPatch, readGroupReplacement } from '../../src/scim/read-group.js';
import { screenBody } from '../../src/scim/screen.js';

const OWN = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';
const [A, B] = ['a', 'b'].map((end) => `00000000-0000-4000-8000-00000000000${end}`);
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const CLEAR = { putWithoutMembers: 'clear' } as const;

const patch = (...Operations: object[]) => atOnce(readGroupPatch({ Operations }, OWN));

const refusalOf = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  return undefined;
};

describe('the body of a group', () => {
  it('is read with everything that identity providers put beside it', () => {
    const body = {
      schemas: [CORE, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      DisplayName: 'Dispatch',
      externalId: 'x-1',
      meta: { resourceType: 'Group' },
      roles: [],
      members: [{ value: A, $ref: null, display: 'Ada', type: 'User' }, { value: A }, B],
    };
    expect(atOnce(readGroup(body))).toEqual({
      displayName: 'Dispatch',
      externalId: 'x-1',
      members: [A, B],
    });
  });

  it.each([
    ['says nothing of members', {}, undefined],
    ['says that there are none', { members: [] }, []],
    ['says null, which is the same (RFC 7643, 2.5)', { members: null }, []],
    ['has one where a list belongs', { members: { value: A } }, [A]],
  ])('%s', (_what, more, members) => {
    expect(atOnce(readGroup({ displayName: 'D', ...more })).members).toEqual(members);
  });

  it.each([
    ['no name', {}],
    ['a name of blanks', { displayName: '  ' }],
    ['a name that is too long', { displayName: 'x'.repeat(257) }],
    ['a name that reads as another', { displayName: 'a\u202eb' }],
    ['a name that is no text', { displayName: 7 }],
    ['a member who is no object', { displayName: 'D', members: [7] }],
    ['a member without an id', { displayName: 'D', members: [{ display: 'Ada' }] }],
  ])('is refused with %s', (_what, body) => {
    expect(refusalOf(() => atOnce(readGroup(body)))).toMatchObject({
      code: 'INVALID_REQUEST',
      scimType: 'invalidValue',
    });
  });

  it('is refused with every member who cannot be one named', () => {
    const members = [{ value: 'nobody' }, { value: A }, { value: B, type: 'group' }];
    expect(refusalOf(() => atOnce(readGroup({ displayName: 'D', members })))).toMatchObject({
      code: 'INVALID_REQUEST',
      scimType: 'invalidValue',
      message: 'members: no user has the id nobody. Nothing was changed.',
      details: [
        { path: 'members', message: 'no user has the id nobody' },
        { path: 'members', message: `${B ?? ''} is named as a group; only users can be members` },
      ],
    });
  });

  it.each([[null], ['']])('is no empty list where it holds %j: nobody is sent away by it', (no) => {
    const body = { displayName: 'D', members: [no] };
    expect(refusalOf(() => atOnce(readGroupReplacement(body, CLEAR)))).toMatchObject({
      scimType: 'invalidValue',
      details: [{ path: 'members', message: 'must have the id of a user as its value' }],
    });
    const replace = { op: 'replace', path: 'members', value: [no] };
    expect(refusalOf(() => patch(replace))).toMatchObject({ scimType: 'invalidValue' });
    const remove = { op: 'remove', path: 'members', value: [no] };
    expect(patch(remove)).toEqual({ steps: [{ op: 'remove', userIds: [] }] });
  });

  it('tells a hundred of the members who cannot be one, not a hundred thousand', () => {
    const members = Array.from({ length: 100_000 }, (_, at) => ({ value: `nobody-${at}` }));
    expect(refusalOf(() => atOnce(readGroup({ displayName: 'D', members })))?.details).toHaveLength(
      100,
    );
  });

  it('may name a hundred thousand members', () => {
    const members = Array.from({ length: 100_000 }, (_, at) => ({
      value: `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`,
    }));
    expect(atOnce(readGroup({ displayName: 'D', members })).members).toHaveLength(100_000);
  });
});

describe('a PUT of a group', () => {
  it.each([
    ['clear', [{ op: 'replace', userIds: [] }]],
    ['keep', []],
  ] as const)('clears what it leaves out; members where the tenant has %s', (setting, steps) => {
    const settings = { putWithoutMembers: setting };
    expect(atOnce(readGroupReplacement({ displayName: 'D' }, settings))).toEqual({
      displayName: 'D',
      externalId: null,
      steps,
    });
  });

  it('empties the group where it says so', () => {
    const body = { displayName: 'D', members: [] };
    for (const settings of [CLEAR, { putWithoutMembers: 'keep' }] as const)
      expect(atOnce(readGroupReplacement(body, settings)).steps).toEqual([
        { op: 'replace', userIds: [] },
      ]);
  });
});

describe('a PATCH of members', () => {
  it.each([
    ['adds a list', { op: 'Add', path: 'members', value: [{ $ref: null, value: A }] }, 'add', [A]],
    ['adds a bare id', { op: 'add', path: 'members', value: A }, 'add', [A]],
    ['adds bare ids', { op: 'Add', path: 'Members', value: [A, B] }, 'add', [A, B]],
    ['adds one twice as one', { op: 'add', path: 'members', value: [A, { value: A }] }, 'add', [A]],
    ['adds without a path', { op: 'add', value: { members: [{ value: A }] } }, 'add', [A]],
    [
      'adds by a qualified path',
      { op: 'add', path: `${CORE}:members`, value: [{ value: A, displayName: 'x' }] },
      'add',
      [A],
    ],
    [
      'removes only whom it names',
      { op: 'Remove', path: 'members', value: [{ value: A }] },
      'remove',
      [A],
    ],
    ['removes bare ids', { op: 'Remove', path: 'members', value: [A] }, 'remove', [A]],
    ['removes nobody by an empty list', { op: 'Remove', path: 'members', value: [] }, 'remove', []],
    ['removes nobody by an empty text', { op: 'Remove', path: 'members', value: '' }, 'remove', []],
    [
      'removes nobody by a value without an id',
      { op: 'Remove', path: 'members', value: [{ display: 'Ada' }] },
      'remove',
      [],
    ],
    [
      'removes nobody by an id that nobody can have',
      { op: 'remove', path: 'members[value eq "nobody"]' },
      'remove',
      [],
    ],
    ['removes a selected one', { op: 'remove', path: `members[value eq "${A}"]` }, 'remove', [A]],
    [
      'removes several selected',
      { op: 'remove', path: `members[value eq "${A}" or value eq "${B}"]` },
      'remove',
      [A, B],
    ],
    [
      'removes a selected user',
      { op: 'remove', path: `members[type eq "User" and value eq "${A}"]` },
      'remove',
      [A],
    ],
    ['removes no groups', { op: 'remove', path: 'members[type eq "Group"]' }, 'remove', []],
    ['replaces all', { op: 'replace', path: 'members', value: [{ value: B }] }, 'replace', [B]],
    ['replaces all by none', { op: 'replace', path: 'members', value: [] }, 'replace', []],
    ['replaces all without a path', { op: 'replace', value: { members: [] } }, 'replace', []],
  ])('%s', (_what, operation, op, userIds) => {
    expect(patch(operation)).toEqual({ steps: [{ op, userIds }] });
  });

  it.each([
    ['without a value', { op: 'remove', path: 'members' }],
    ['of all users', { op: 'remove', path: 'members[type eq "User"]' }],
    ['of everybody who has an id', { op: 'remove', path: 'members[value pr]' }],
  ])('removes all %s', (_what, operation) => {
    expect(patch(operation)).toEqual({ steps: [{ op: 'removeAll' }] });
  });

  it('keeps the order of the steps', () => {
    const steps = patch(
      { op: 'remove', path: 'members' },
      { op: 'add', path: 'members', value: [A, B] },
      { op: 'remove', path: `members[value eq "${A}"]` },
    ).steps;
    expect(steps.map(({ op }) => op)).toEqual(['removeAll', 'add', 'remove']);
  });

  it('are told how a member is named where a path names none', () => {
    const refusal = refusalOf(() => patch({ op: 'remove', path: 'members.value' }));
    expect(refusal?.message).toContain('such as members[value eq "…"].');
  });

  it('refuses to write what follows from the id', () => {
    const path = `members[value eq "${A ?? ''}"].display`;
    expect(refusalOf(() => patch({ op: 'replace', path, value: 'Ada' }))).toMatchObject({
      scimType: 'mutability',
    });
  });

  it.each([
    ['all but one', { op: 'remove', path: `members[value ne "${A}"]` }, 'INVALID_FILTER'],
    ['whoever has a name', { op: 'remove', path: 'members[display co "A"]' }, 'INVALID_FILTER'],
    [
      'part of an id',
      { op: 'remove', path: 'members[value sw "0"]' },
      'INVALID_REQUEST',
      'invalidPath',
    ],
    [
      'the ids of members',
      { op: 'remove', path: 'members.value' },
      'INVALID_REQUEST',
      'invalidPath',
    ],
    [
      'the id of one',
      { op: 'replace', path: `members[value eq "${A}"].value`, value: B },
      'INVALID_REQUEST',
      'mutability',
    ],
    [
      'one by another',
      { op: 'replace', path: `members[value eq "${A}"]`, value: { value: B } },
      'INVALID_REQUEST',
      'mutability',
    ],
    [
      'nobody added',
      { op: 'add', path: 'members', value: [{ value: 'nobody' }] },
      'INVALID_REQUEST',
      'invalidValue',
    ],
    [
      'a group added',
      { op: 'add', path: 'members', value: [{ value: A, type: 'Group' }] },
      'INVALID_REQUEST',
      'invalidValue',
    ],
  ])('is refused for %s', (_what, operation, code, scimType?: string) => {
    const refusal = refusalOf(() => patch(operation));
    expect(refusal).toMatchObject({ code, ...(scimType && { scimType }) });
  });
});

describe("a PATCH of a group's own attributes", () => {
  it.each([
    ['without a path, as Okta does', { op: 'replace', value: { id: OWN, displayName: 'X' } }],
    ['with path null and more', { op: 'replace', path: null, value: { displayName: 'X', foo: 1 } }],
    ['with a capital', { op: 'Replace', path: 'DisplayName', value: 'X' }],
    ['with a qualified path', { op: 'replace', path: `${CORE}:displayName`, value: 'X' }],
    ['by adding', { op: 'add', path: 'displayName', value: 'X' }],
    ['in a list of one', { op: 'replace', value: [{ displayName: 'X' }] }],
  ])('renames %s', (_what, operation) => {
    expect(patch(operation)).toEqual({ displayName: 'X', steps: [] });
  });

  it.each([
    ['by removing', { op: 'remove', path: 'externalId' }],
    ['by an empty text', { op: 'replace', path: 'externalId', value: '' }],
    ['by null', { op: 'replace', value: { externalId: null } }],
  ])('clears externalId %s', (_what, operation) => {
    expect(patch(operation)).toEqual({ externalId: null, steps: [] });
  });

  it('has the last word', () => {
    expect(
      patch(
        { op: 'replace', path: 'displayName', value: 'X' },
        { op: 'remove', path: 'externalId' },
        { op: 'replace', value: { displayName: 'Y', externalId: 'e' } },
      ),
    ).toEqual({ displayName: 'Y', externalId: 'e', steps: [] });
  });

  it('changes nothing where it holds no operation, or none that is known', () => {
    expect(patch()).toEqual({ steps: [] });
    expect(patch({ op: 'replace', value: { meta: {}, schemas: [], unknown: 1 } })).toEqual({
      steps: [],
    });
  });

  it.each([
    ['another id', { op: 'replace', value: { id: A, displayName: 'X' } }, 'mutability'],
    ['no name', { op: 'remove', path: 'displayName' }, 'invalidValue'],
    ['an empty name', { op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
    ['a name of blanks', { op: 'replace', path: 'displayName', value: ' ' }, 'invalidValue'],
    ['an unknown path', { op: 'replace', path: 'nickName', value: 'x' }, 'invalidPath'],
  ])('is refused for %s', (_what, operation, scimType) => {
    expect(refusalOf(() => patch(operation))).toMatchObject({ code: 'INVALID_REQUEST', scimType });
  });

  it('takes a thousand operations, one a member, and no more', () => {
    const one = { op: 'add', path: 'members', value: [{ value: A }] };
    expect(patch(...Array.from({ length: 1000 }, () => one)).steps).toHaveLength(1000);
    expect(refusalOf(() => patch(...Array.from({ length: 1001 }, () => one)))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });
});

describe('a large list of members', () => {
  it('is read in pieces', () => {
    const members = Array.from({ length: 2_000 }, () => ({ value: A }));
    expect([...readGroup({ displayName: 'D', members })].length).toBeGreaterThanOrEqual(30);
    const add = { op: 'add', path: 'members', value: members.slice(0, 500) };
    expect([...readGroupPatch({ Operations: [add] }, OWN)].length).toBeGreaterThanOrEqual(6);
    expect([...screenBody({ members })].length).toBeGreaterThanOrEqual(15);
  });
});

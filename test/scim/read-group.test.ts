import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/domain/kernel/chunked.js';
import { readGroupPatch, readNewGroup, readGroupReplacement } from '../../src/scim/read-group.js';
import { checkBody } from '../../src/scim/check-input.js';
import { refusalOf } from './refusal-of.js';

const OWN = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';
const [A, B] = ['a', 'b'].map((end) => `00000000-0000-4000-8000-00000000000${end}`);
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const REJECT = { unknownMembers: 'reject' } as const;
const SKIP = { unknownMembers: 'skip' } as const;
const CLEAR = { ...REJECT, putWithoutMembers: 'clear' } as const;

const patch = (...Operations: object[]) => runSync(readGroupPatch({ Operations }, REJECT));

describe('readNewGroup', () => {
  it('ignores the additional attributes that identity providers send', () => {
    const body = {
      schemas: [CORE, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      DisplayName: 'Dispatch',
      externalId: 'x-1',
      meta: { resourceType: 'Group' },
      roles: [],
      members: [{ value: A, $ref: null, display: 'Ada', type: 'User' }, { value: A }, B],
    };
    expect(runSync(readNewGroup(body, REJECT))).toEqual({
      displayName: 'Dispatch',
      externalId: 'x-1',
      members: [A, B],
    });
  });

  it.each([
    ['no members', {}, []],
    ['an empty list', { members: [] }, []],
    ['null, which means an empty list (RFC 7643, 2.5)', { members: null }, []],
    ['a single member that is not in a list', { members: { value: A } }, [A]],
  ])('accepts %s', (_what, more, members) => {
    expect(runSync(readNewGroup({ displayName: 'D', ...more }, REJECT)).members).toEqual(members);
  });

  it.each([
    ['no name', {}],
    ['a blank name', { displayName: '  ' }],
    ['a name that is too long', { displayName: 'x'.repeat(257) }],
    ['a name with an invisible character', { displayName: 'a\u202eb' }],
    ['a name that is not a string', { displayName: true }],
    ['a member that is neither an object nor a string', { displayName: 'D', members: [7] }],
    ['a member without an id', { displayName: 'D', members: [{ display: 'Ada' }] }],
  ])('refuses %s', (_what, body) => {
    expect(refusalOf(() => runSync(readNewGroup(body, REJECT)))).toMatchObject({
      code: 'INVALID_REQUEST',
      scimType: 'invalidValue',
    });
  });

  it('reports every invalid member', () => {
    const members = [{ value: 'unknown' }, { value: A }, { value: B, type: 'group' }];
    expect(
      refusalOf(() => runSync(readNewGroup({ displayName: 'D', members }, REJECT))),
    ).toMatchObject({
      code: 'INVALID_REQUEST',
      scimType: 'invalidValue',
      message: 'members: no user has the id unknown. Nothing was changed.',
      details: [
        { path: 'members', message: 'no user has the id unknown' },
        { path: 'members', message: `${B ?? ''} has the type Group; only users can be members` },
      ],
    });
  });

  it('sets malformed ids apart if the tenant leaves out unknown members', () => {
    const members = [{ value: 'stale' }, { value: A }, 'stale'];
    expect(runSync(readNewGroup({ displayName: 'D', members }, SKIP))).toMatchObject({
      members: [A],
      malformed: ['stale'],
    });
    const nested = { displayName: 'D', members: [{ value: B, type: 'Group' }] };
    expect(refusalOf(() => runSync(readNewGroup(nested, SKIP)))).toMatchObject({
      scimType: 'invalidValue',
    });
  });

  it.each([[null], ['']])(
    'does not treat a list with %j as empty, which would remove all members',
    (empty) => {
      const body = { displayName: 'D', members: [empty] };
      expect(refusalOf(() => runSync(readGroupReplacement(body, CLEAR)))).toMatchObject({
        scimType: 'invalidValue',
        details: [{ path: 'members', message: 'must have a user id as its value' }],
      });
      const replace = { op: 'replace', path: 'members', value: [empty] };
      expect(refusalOf(() => patch(replace))).toMatchObject({ scimType: 'invalidValue' });
    },
  );

  it('reports at most 100 invalid members', () => {
    const members = Array.from({ length: 100_000 }, (_, at) => ({ value: `unknown-${at}` }));
    expect(
      refusalOf(() => runSync(readNewGroup({ displayName: 'D', members }, REJECT))).details,
    ).toHaveLength(100);
  });

  it('accepts 100,000 members', () => {
    const members = Array.from({ length: 100_000 }, (_, at) => ({
      value: `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`,
    }));
    expect(runSync(readNewGroup({ displayName: 'D', members }, REJECT)).members).toHaveLength(
      100_000,
    );
  });
});

describe('readGroupReplacement', () => {
  it.each([
    ['clear', [{ op: 'replace', userIds: [] }]],
    ['keep', []],
  ] as const)(
    'clears absent attributes, and treats absent members by the setting %s',
    (setting, steps) => {
      const settings = { ...REJECT, putWithoutMembers: setting };
      expect(runSync(readGroupReplacement({ displayName: 'D' }, settings))).toEqual({
        displayName: 'D',
        externalId: null,
        steps,
      });
    },
  );

  it('removes all members if members is an empty list', () => {
    const body = { displayName: 'D', members: [] };
    for (const settings of [CLEAR, { ...CLEAR, putWithoutMembers: 'keep' }] as const)
      expect(runSync(readGroupReplacement(body, settings)).steps).toEqual([
        { op: 'replace', userIds: [] },
      ]);
  });
});

describe('readGroupPatch of members', () => {
  it.each([
    ['adds a list', { op: 'Add', path: 'members', value: [{ $ref: null, value: A }] }, 'add', [A]],
    ['adds a bare id', { op: 'add', path: 'members', value: A }, 'add', [A]],
    ['adds bare ids', { op: 'Add', path: 'Members', value: [A, B] }, 'add', [A, B]],
    ['adds a duplicate once', { op: 'add', path: 'members', value: [A, { value: A }] }, 'add', [A]],
    ['adds without a path', { op: 'add', value: { members: [{ value: A }] } }, 'add', [A]],
    [
      'adds by a qualified path',
      { op: 'add', path: `${CORE}:members`, value: [{ value: A, displayName: 'x' }] },
      'add',
      [A],
    ],
    [
      'removes only the listed members',
      { op: 'Remove', path: 'members', value: [{ value: A }] },
      'remove',
      [A],
    ],
    ['removes bare ids', { op: 'Remove', path: 'members', value: [A] }, 'remove', [A]],
    [
      'removes no member for an empty list',
      { op: 'Remove', path: 'members', value: [] },
      'remove',
      [],
    ],
    [
      'removes a selected member',
      { op: 'remove', path: `members[value eq "${A}"]` },
      'remove',
      [A],
    ],
    [
      'removes several selected members',
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
    ['replaces all by an empty list', { op: 'replace', path: 'members', value: [] }, 'replace', []],
    ['replaces all without a path', { op: 'replace', value: { members: [] } }, 'replace', []],
  ])('%s', (_what, operation, op, userIds) => {
    expect(patch(operation)).toEqual({ steps: [{ op, userIds }] });
  });

  it.each([
    ['without a value', { op: 'remove', path: 'members' }],
    ['for a filter on the type User', { op: 'remove', path: 'members[type eq "User"]' }],
    ['for a filter on the presence of a value', { op: 'remove', path: 'members[value pr]' }],
  ])('removes all members %s', (_what, operation) => {
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

  it('explains how to select a member if the path selects none', () => {
    const refusal = refusalOf(() => patch({ op: 'remove', path: 'members.value' }));
    expect(refusal.message).toContain('such as members[value eq "…"].');
  });

  it('refuses to write a sub-attribute of a member', () => {
    const path = `members[value eq "${A ?? ''}"].display`;
    expect(refusalOf(() => patch({ op: 'replace', path, value: 'Ada' }))).toMatchObject({
      scimType: 'mutability',
    });
  });

  it.each([
    [
      'to remove all except one',
      { op: 'remove', path: `members[value ne "${A}"]` },
      'INVALID_FILTER',
    ],
    [
      'to remove members by display name',
      { op: 'remove', path: 'members[display co "A"]' },
      'INVALID_FILTER',
    ],
    [
      'to remove members by a part of their id',
      { op: 'remove', path: 'members[value sw "0"]' },
      'INVALID_REQUEST',
      'invalidPath',
    ],
    [
      'to remove the ids of members',
      { op: 'remove', path: 'members.value' },
      'INVALID_REQUEST',
      'invalidPath',
    ],
    [
      'to replace the id of a member',
      { op: 'replace', path: `members[value eq "${A}"].value`, value: B },
      'INVALID_REQUEST',
      'mutability',
    ],
    [
      'to replace a member',
      { op: 'replace', path: `members[value eq "${A}"]`, value: { value: B } },
      'INVALID_REQUEST',
      'mutability',
    ],
    [
      'to add an unknown member',
      { op: 'add', path: 'members', value: [{ value: 'unknown' }] },
      'INVALID_REQUEST',
      'invalidValue',
    ],
    [
      'to add a group',
      { op: 'add', path: 'members', value: [{ value: A, type: 'Group' }] },
      'INVALID_REQUEST',
      'invalidValue',
    ],
  ])('refuses %s', (_what, operation, code, scimType?: string) => {
    const refusal = refusalOf(() => patch(operation));
    expect(refusal).toMatchObject({ code, ...(scimType && { scimType }) });
  });
});

describe('a member that cannot be read', () => {
  const MALFORMED = [
    ...[true, 5, '', {}, [{}], [null], [''], [5], [[A]], [{ display: 'x' }], [{ value: null }]],
    ...[`${A},${B}`, ` ${A}`, [{ value: 'x' }], [{ value: A, type: 'Group' }]],
    ...[[{ $ref: `https://x/Groups/${A}` }], [{ $ref: `https://x/Users/${A},${B}` }], [A, 'x']],
  ];
  it.each(MALFORMED.map((value) => [JSON.stringify(value), value] as const))(
    'is refused wherever it stands: %s',
    (_what, value) => {
      const refused = { code: 'INVALID_REQUEST', scimType: 'invalidValue' };
      for (const op of ['add', 'replace', 'remove'])
        expect(refusalOf(() => patch({ op, path: 'members', value }))).toMatchObject(refused);
      const body = { displayName: 'D', members: value };
      expect(refusalOf(() => runSync(readNewGroup(body, REJECT)))).toMatchObject(refused);
      expect(refusalOf(() => runSync(readGroupReplacement(body, CLEAR)))).toMatchObject(refused);
    },
  );

  it('is refused in a filter, too', () => {
    const operation = { op: 'remove', path: 'members[value eq "unknown"]' };
    expect(refusalOf(() => patch(operation))).toMatchObject({ scimType: 'invalidValue' });
  });

  it('has no target to replace', () => {
    const operation = { op: 'replace', path: 'members[value eq "bogus"]', value: { value: A } };
    expect(refusalOf(() => patch(operation))).toMatchObject({ scimType: 'noTarget' });
  });

  it('is left out of a removal if the tenant leaves out unknown members', () => {
    const remove = { op: 'remove', path: 'members', value: [A, 'stale'] };
    expect(runSync(readGroupPatch({ Operations: [remove] }, SKIP))).toEqual({
      steps: [{ op: 'remove', userIds: [A] }],
      malformed: ['stale'],
    });
  });

  it.each([
    ['$ref', [{ $ref: `https://gateway/v1/acme/scim/v2/Users/${A}` }]],
    ['a relative $ref', { $REF: `../Users/${A}` }],
    ['id', [{ id: A }]],
  ])('is not one that names its user by %s', (_what, value) => {
    for (const op of ['add', 'replace', 'remove'])
      expect(patch({ op, path: 'members', value })).toEqual({ steps: [{ op, userIds: [A] }] });
  });
});

describe('readGroupPatch of other attributes', () => {
  it.each([
    ['without a path, as Okta does', { op: 'replace', value: { id: OWN, displayName: 'X' } }],
    [
      'with a null path and unknown attributes',
      { op: 'replace', path: null, value: { displayName: 'X', foo: 1 } },
    ],
    ['with capitalised op and path', { op: 'Replace', path: 'DisplayName', value: 'X' }],
    ['with a qualified path', { op: 'replace', path: `${CORE}:displayName`, value: 'X' }],
    ['by an add', { op: 'add', path: 'displayName', value: 'X' }],
    ['in a list of one', { op: 'replace', value: [{ displayName: 'X' }] }],
  ])('renames the group %s', (_what, operation) => {
    expect(patch(operation)).toEqual({ displayName: 'X', steps: [] });
  });

  it.each([
    ['by a remove', { op: 'remove', path: 'externalId' }],
    ['by an empty string', { op: 'replace', path: 'externalId', value: '' }],
    ['by null', { op: 'replace', value: { externalId: null } }],
  ])('clears externalId %s', (_what, operation) => {
    expect(patch(operation)).toEqual({ externalId: null, steps: [] });
  });

  it('applies operations on the same attribute in order', () => {
    expect(
      patch(
        { op: 'replace', path: 'displayName', value: 'X' },
        { op: 'remove', path: 'externalId' },
        { op: 'replace', value: { displayName: 'Y', externalId: 'e' } },
      ),
    ).toEqual({ displayName: 'Y', externalId: 'e', steps: [] });
  });

  it.each(['id', 'meta', 'meta.version', `${CORE}:META.created`])(
    'refuses to change %s, which is read-only',
    (path) => {
      const rename = { op: 'replace', path: 'displayName', value: 'Two' };
      for (const change of [
        { op: 'replace', path, value: {} },
        { op: 'remove', path },
      ])
        expect(refusalOf(() => patch(rename, change))).toMatchObject({ scimType: 'mutability' });
    },
  );

  it('changes nothing if it has no operations or only unknown attributes', () => {
    expect(patch()).toEqual({ steps: [] });
    expect(patch({ op: 'replace', value: { meta: {}, schemas: [], unknown: 1 } })).toEqual({
      steps: [],
    });
  });

  it.each([
    ['the removal of displayName', { op: 'remove', path: 'displayName' }, 'invalidValue'],
    ['an empty name', { op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
    ['a blank name', { op: 'replace', path: 'displayName', value: ' ' }, 'invalidValue'],
    ['an unknown path', { op: 'replace', path: 'nickName', value: 'x' }, 'invalidPath'],
  ])('refuses %s', (_what, operation, scimType) => {
    expect(refusalOf(() => patch(operation))).toMatchObject({ code: 'INVALID_REQUEST', scimType });
  });

  it('accepts at most 1,000 operations', () => {
    const one = { op: 'add', path: 'members', value: [{ value: A }] };
    expect(patch(...Array.from({ length: 1000 }, () => one)).steps).toHaveLength(1000);
    expect(refusalOf(() => patch(...Array.from({ length: 1001 }, () => one)))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });
});

describe('a large list of members', () => {
  it('is read in chunks', () => {
    const members = Array.from({ length: 2_000 }, () => ({ value: A }));
    expect([...readNewGroup({ displayName: 'D', members }, REJECT)].length).toBeGreaterThanOrEqual(
      15,
    );
    const add = { op: 'add', path: 'members', value: members.slice(0, 500) };
    expect([...readGroupPatch({ Operations: [add] }, REJECT)].length).toBeGreaterThanOrEqual(3);
    expect([...checkBody({ members })].length).toBeGreaterThanOrEqual(15);
  });
});

import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/domain/kernel/chunked.js';
import { DEFAULT_SCIM_SETTINGS } from '../../src/domain/tenant/scim-settings.js';
import { checkProfile } from '../../src/scim/interop-profile.js';
import { ENTERPRISE, GROUP, USER } from '../../src/scim/schemas.js';
import { PATCH_URN } from '../support/scim-urns.js';
import { refusalOf } from './refusal-of.js';

const INTEROP = { scim: { ...DEFAULT_SCIM_SETTINGS, profile: 'interop' } } as const;

const check = (body: object, schema = USER) =>
  runSync(checkProfile(INTEROP, schema, { body, isPatch: false }));
const patch = (...Operations: readonly object[]) =>
  runSync(
    checkProfile(INTEROP, USER, { body: { schemas: [PATCH_URN], Operations }, isPatch: true }),
  );

describe('the interop profile', () => {
  it.each<[string, object]>([
    ['an attribute', { shoeSize: 41 }],
    ['a dotted attribute', { 'name.givenName': 'Eve' }],
    ['a sub-attribute', { name: { nick: 'E' } }],
    ['a sub-attribute of an element', { emails: [{ value: 'e@x.org', old: 1 }] }],
    ['an attribute of an extension', { [ENTERPRISE.urn]: { floor: '3' } }],
    ['a sub-attribute in an extension', { [ENTERPRISE.urn]: { manager: { x: '3' } } }],
    ['a schema', { schemas: [USER.urn, 'urn:example:2.0:User'] }],
    ['an extension', { 'urn:example:2.0:User': { x: 1 } }],
  ])('refuses %s that is not in the schema', (_what, body) => {
    expect(refusalOf(() => check({ userName: 'eve', ...body }))).toMatchObject({
      scimType: 'invalidSyntax',
    });
  });

  it('refuses unknown sub-attributes of members', () => {
    const members = [{ value: 'x', since: 'x' }];
    expect(refusalOf(() => check({ displayName: 'Two', members }, GROUP))).toMatchObject({
      scimType: 'invalidSyntax',
    });
  });

  it.each([
    ['no path', { op: 'replace', value: { displayName: 'Ada' } }],
    ['an empty path', { op: 'replace', path: '', value: { displayName: 'Ada' } }],
    ['an unknown attribute', { op: 'replace', path: 'shoeSize', value: 41 }],
    ['an unknown sub-attribute', { op: 'replace', path: 'name.nick', value: 'A' }],
    ['one of an element', { op: 'add', path: 'emails[type eq "work"].old', value: 'A' }],
    ['one in the value', { op: 'replace', path: 'name', value: { givenName: 'A', nick: 'A' } }],
  ])('refuses a PATCH with %s', (_what, operation) => {
    const title = { op: 'replace', path: 'title', value: 'Dr.' };
    expect(refusalOf(() => patch(title, operation))).toMatchObject({ scimType: 'invalidSyntax' });
  });

  it('accepts what the schemas name', () => {
    check({
      ...{ schemas: [USER.urn, ENTERPRISE.urn], userName: 'ada', id: 'x', meta: { version: '1' } },
      ...{ name: { givenName: 'Ada' }, emails: [{ value: 'ada@example.com', type: 'work' }] },
      [ENTERPRISE.urn]: { department: 'Sales', manager: { value: 'x' } },
    });
    patch(
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'ada@example.org' },
      { op: 'add', path: `${ENTERPRISE.urn}:department`, value: 'Legal' },
      { op: 'add', path: 'name', value: { familyName: 'Byron' } },
    );
  });
});

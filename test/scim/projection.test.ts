import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { asksFor, project, readProjection, WHOLE } from '../../src/scim/projection.js';
import { ENTERPRISE, USER } from '../../src/scim/user-schema.js';

const RESOURCE: JsonObject = {
  schemas: [USER.urn, ENTERPRISE.urn],
  id: 'u1',
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'a@b', type: 'work', primary: true },
    { value: 'c@d', type: 'home' },
  ],
  groups: [{ value: 'g1' }],
  [ENTERPRISE.urn]: { department: 'Engines', manager: { value: 'm', displayName: 'Byron' } },
  meta: { resourceType: 'User', version: 'W/"1"', location: 'there' },
};

const part = (attributes: readonly string[], excludedAttributes: readonly string[] = []) =>
  readProjection(USER, { attributes, excludedAttributes });

const only = (...names: string[]) => project(RESOURCE, part(names));
const without = (...names: string[]) => project(RESOURCE, part([], names));

const { schemas, id } = RESOURCE;
const always = { schemas, id };

describe('what is asked for of a resource', () => {
  it('is all of it when nothing is named', () => {
    expect(part([])).toBe(WHOLE);
    expect(project(RESOURCE, WHOLE)).toBe(RESOURCE);
  });

  it.each<[string, string[], JsonObject]>([
    ['an attribute', ['userName'], { userName: 'ada' }],
    ['a name in another case', ['USERNAME'], { userName: 'ada' }],
    ['a qualified name', [`${USER.urn}:userName`], { userName: 'ada' }],
    ['a part', ['name.familyName'], { name: { familyName: 'Lovelace' } }],
    ['a part of list elements', ['emails.value'], { emails: [{ value: 'a@b' }, { value: 'c@d' }] }],
    ['a part that some elements have', ['emails.primary'], { emails: [{ primary: true }] }],
    ['a part and the whole', ['emails.value', 'emails'], { emails: RESOURCE['emails'] }],
    ['the whole and a part', ['emails', 'emails.value'], { emails: RESOURCE['emails'] }],
    ['an extension', [ENTERPRISE.urn], { [ENTERPRISE.urn]: RESOURCE[ENTERPRISE.urn] }],
    [
      'a part of an extension',
      [`${ENTERPRISE.urn}:department`],
      { [ENTERPRISE.urn]: { department: 'Engines' } },
    ],
    [
      'a part of a part',
      [`${ENTERPRISE.urn}:manager.displayName`],
      { [ENTERPRISE.urn]: { manager: { displayName: 'Byron' } } },
    ],
    ['meta, in part', ['meta.location'], { meta: { location: 'there' } }],
    [
      'a list of which some is selected',
      ['emails[type eq "work"]'],
      { emails: RESOURCE['emails'] },
    ],
    [
      'a part of what is selected',
      ['emails[type eq "work"].value'],
      { emails: [{ value: 'a@b' }, { value: 'c@d' }] },
    ],
    [
      'a selection that is cut at a comma',
      ['emails[value eq "a', 'b"]'],
      { emails: RESOURCE['emails'] },
    ],
    ['what is not there', ['title', 'addresses.country'], {}],
    ['what nobody knows', ['shoeSize', 'name.shoe', 'constructor'], {}],
    [
      'several',
      ['userName', 'name.givenName', 'meta.version'],
      { userName: 'ada', name: { givenName: 'Ada' }, meta: { version: 'W/"1"' } },
    ],
  ])('may be %s, with id and schemas always', (_what, names, expected) => {
    expect(only(...names)).toEqual({ ...always, ...expected });
  });

  it('may be all but some', () => {
    const left = without(
      'emails.value',
      'NAME',
      'groups',
      `${ENTERPRISE.urn}:manager`,
      'meta.location',
      'shoe',
    );
    expect(left).toEqual({
      ...always,
      userName: 'ada',
      emails: [{ type: 'work', primary: true }, { type: 'home' }],
      [ENTERPRISE.urn]: { department: 'Engines' },
      meta: { resourceType: 'User', version: 'W/"1"' },
    });
  });

  it('has id and schemas even where they are excluded', () => {
    expect(without('id', 'schemas')).toEqual(RESOURCE);
  });

  it('is not left out where only some of it is selected', () => {
    expect(without('emails[type eq "work"]')).toEqual(RESOURCE);
  });

  it('loses what has no part left', () => {
    expect(without('name.givenName', 'name.familyName')).not.toHaveProperty('name');
  });

  it('is what is named where both ways are used', () => {
    expect(project(RESOURCE, part(['userName'], ['userName']))).toEqual({
      ...always,
      userName: 'ada',
    });
  });

  it('and what is excluded make up the whole', () => {
    const names = fc.subarray(['userName', 'name', 'emails', 'groups', 'meta', ENTERPRISE.urn], {
      minLength: 1,
    });
    fc.assert(
      fc.property(names, (some) => {
        expect({ ...only(...some), ...without(...some) }).toEqual(RESOURCE);
      }),
    );
  });

  it.each([
    [part([]), true],
    [part(['groups']), true],
    [part(['groups.value']), true],
    [part(['userName']), false],
    [part([], ['groups']), false],
    [part([], ['groups.display']), true],
    [part([], ['userName']), true],
  ])('tells whether groups are', (projection, expected) => {
    expect(asksFor(projection, 'groups')).toBe(expected);
  });
});

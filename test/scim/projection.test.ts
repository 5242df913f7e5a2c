import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/kernel/json.js';
import {
  ALL_ATTRIBUTES,
  includesAttribute,
  project,
  readProjection,
} from '../../src/scim/projection.js';
import { ENTERPRISE, USER } from '../../src/scim/schemas.js';

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

const requested = (attributes: readonly string[], excludedAttributes: readonly string[] = []) =>
  readProjection(USER, { attributes, excludedAttributes });

const only = (...names: string[]) => project(RESOURCE, requested(names));
const without = (...names: string[]) => project(RESOURCE, requested([], names));

const { schemas, id } = RESOURCE;
const always = { schemas, id };

describe('project', () => {
  it('returns the whole resource if no attributes are named', () => {
    expect(requested([])).toBe(ALL_ATTRIBUTES);
    expect(project(RESOURCE, ALL_ATTRIBUTES)).toBe(RESOURCE);
  });

  it.each<[string, string[], JsonObject]>([
    ['an attribute', ['userName'], { userName: 'ada' }],
    ['a name in another case', ['USERNAME'], { userName: 'ada' }],
    ['a qualified name', [`${USER.urn}:userName`], { userName: 'ada' }],
    ['a sub-attribute', ['name.familyName'], { name: { familyName: 'Lovelace' } }],
    [
      'a sub-attribute of list elements',
      ['emails.value'],
      { emails: [{ value: 'a@b' }, { value: 'c@d' }] },
    ],
    [
      'a sub-attribute that only some elements have',
      ['emails.primary'],
      { emails: [{ primary: true }] },
    ],
    [
      'a sub-attribute and the whole attribute',
      ['emails.value', 'emails'],
      { emails: RESOURCE['emails'] },
    ],
    [
      'the whole attribute and a sub-attribute',
      ['emails', 'emails.value'],
      { emails: RESOURCE['emails'] },
    ],
    ['an extension', [ENTERPRISE.urn], { [ENTERPRISE.urn]: RESOURCE[ENTERPRISE.urn] }],
    [
      'an attribute of an extension',
      [`${ENTERPRISE.urn}:department`],
      { [ENTERPRISE.urn]: { department: 'Engines' } },
    ],
    [
      'a sub-attribute of an extension attribute',
      [`${ENTERPRISE.urn}:manager.displayName`],
      { [ENTERPRISE.urn]: { manager: { displayName: 'Byron' } } },
    ],
    ['a sub-attribute of meta', ['meta.location'], { meta: { location: 'there' } }],
    ['a list with a filter', ['emails[type eq "work"]'], { emails: RESOURCE['emails'] }],
    [
      'a sub-attribute after a filter',
      ['emails[type eq "work"].value'],
      { emails: [{ value: 'a@b' }, { value: 'c@d' }] },
    ],
    [
      'a filter that is split at a comma',
      ['emails[value eq "a', 'b"]'],
      { emails: RESOURCE['emails'] },
    ],
    ['attributes without a value', ['title', 'addresses.country'], {}],
    ['unknown attributes', ['shoeSize', 'name.shoe', 'constructor'], {}],
    [
      'several',
      ['userName', 'name.givenName', 'meta.version'],
      { userName: 'ada', name: { givenName: 'Ada' }, meta: { version: 'W/"1"' } },
    ],
  ])('returns %s, and always id and schemas', (_what, names, expected) => {
    expect(only(...names)).toEqual({ ...always, ...expected });
  });

  it('returns all attributes except the excluded ones', () => {
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

  it('returns id and schemas even if excluded', () => {
    expect(without('id', 'schemas')).toEqual(RESOURCE);
  });

  it('ignores an excluded list with a filter', () => {
    expect(without('emails[type eq "work"]')).toEqual(RESOURCE);
  });

  it('omits an attribute if all its sub-attributes are excluded', () => {
    expect(without('name.givenName', 'name.familyName')).not.toHaveProperty('name');
  });

  it('ignores excludedAttributes if attributes is given', () => {
    expect(project(RESOURCE, requested(['userName'], ['userName']))).toEqual({
      ...always,
      userName: 'ada',
    });
  });

  it('returns the complement for excludedAttributes', () => {
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
    [requested([]), true],
    [requested(['groups']), true],
    [requested(['groups.value']), true],
    [requested(['userName']), false],
    [requested([], ['groups']), false],
    [requested([], ['groups.display']), true],
    [requested([], ['userName']), true],
  ])('detects whether groups are requested: %j', (projection, expected) => {
    expect(includesAttribute(projection, 'groups')).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/kernel/json.js';
import { findAttribute, type ResourceSchema } from '../../src/scim/attributes.js';
import {
  resourceTypeList,
  resourceTypeOf,
  schemaList,
  schemaOf,
  serviceProviderConfig,
} from '../../src/scim/discovery.js';
import { GROUP, ENTERPRISE, USER } from '../../src/scim/schemas.js';
import { aTenant } from '../support/builders.js';

const BASE = 'https://gateway.example/v1/acme/scim/v2';
const AT = { base: BASE, tenant: aTenant() };

interface Described {
  readonly name: string;
  readonly type: string;
  readonly mutability: string;
  readonly returned: string;
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Described[];
}

const attributesOf = (document: JsonObject | undefined): readonly Described[] =>
  document?.['attributes'] as unknown as readonly Described[];

const resourcesOf = (list: JsonObject): readonly JsonObject[] =>
  list['Resources'] as JsonValue[] as JsonObject[];

describe('discovery', () => {
  it('advertises the configured limits', () => {
    const limits = { maxOperations: 50, maxPayloadSize: 1024 };
    expect(serviceProviderConfig(AT, limits)).toMatchObject({
      patch: { supported: true },
      bulk: { supported: true, ...limits },
      filter: { supported: true, maxResults: 1000 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      pagination: { cursor: true, index: true, defaultPageSize: 100, maxPageSize: 1000 },
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
      meta: { location: `${BASE}/ServiceProviderConfig` },
    });
  });

  it("returns URLs of the tenant's own base", () => {
    const text = JSON.stringify([schemaList(AT), resourceTypeList(AT)]);
    for (const [, location] of text.matchAll(/"location":"([^"]*)"/g))
      expect(location).toContain(BASE);
    expect(JSON.stringify(schemaList({ ...AT, base: 'https://other/v1/b' }))).not.toContain(BASE);
  });

  it('returns the User type with its extension', () => {
    expect(resourceTypeOf(AT, 'User')).toMatchObject({
      id: 'User',
      endpoint: '/Users',
      schema: USER.urn,
      schemaExtensions: [{ schema: ENTERPRISE.urn, required: false }],
      meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/User` },
    });
    expect(resourcesOf(resourceTypeList(AT)).map(({ id }) => id)).toEqual(['User', 'Group']);
    expect(resourceTypeOf(AT, 'user')).toBeUndefined();
    expect(resourceTypeOf(AT, 'constructor')).toBeUndefined();
  });

  it('returns the Group type without an extension', () => {
    expect(resourceTypeOf(AT, 'Group')).toMatchObject({
      id: 'Group',
      endpoint: '/Groups',
      schema: GROUP.urn,
      schemaExtensions: [],
    });
  });

  it('finds schemas by URN, case-insensitively', () => {
    const all = resourcesOf(schemaList(AT));
    expect(all.map(({ id }) => id)).toEqual([USER.urn, ENTERPRISE.urn, GROUP.urn]);
    expect(schemaOf(AT, ENTERPRISE.urn.toUpperCase())).toEqual(all[1]);
    expect(schemaOf(AT, 'urn:other')).toBeUndefined();
  });

  it('describes exactly the attributes that are read', () => {
    const check = (
      schema: ResourceSchema,
      described: readonly Described[],
      prefix: string,
    ): void => {
      for (const { name, type, mutability, returned, subAttributes = [] } of described) {
        const ours = findAttribute(schema, `${prefix}${name}`);
        expect(ours, name).toMatchObject({ name, type, mutability, returned });
        check(schema, subAttributes, `${prefix}${name}.`);
      }
    };
    check(USER, attributesOf(schemaOf(AT, USER.urn)), `${USER.urn}:`);
    check(USER, attributesOf(schemaOf(AT, ENTERPRISE.urn)), `${ENTERPRISE.urn}:`);
    check(GROUP, attributesOf(schemaOf(AT, GROUP.urn)), `${GROUP.urn}:`);
  });

  it('describes roles as read-only, with the returned sub-attributes', () => {
    const roles = attributesOf(schemaOf(AT, USER.urn)).find(({ name }) => name === 'roles');
    expect(roles).toMatchObject({
      mutability: 'readOnly',
      subAttributes: [{ name: 'value' }, { name: 'primary' }],
    });
  });

  it('describes members as users identified by value', () => {
    const members = attributesOf(schemaOf(AT, GROUP.urn)).find(({ name }) => name === 'members');
    expect(members?.subAttributes).toMatchObject([
      { name: 'value', mutability: 'immutable', caseExact: true },
      { name: 'display', mutability: 'readOnly', returned: 'request' },
      { name: '$ref', mutability: 'immutable', referenceTypes: ['User'] },
      { name: 'type', canonicalValues: ['User'] },
    ]);
  });

  it('has no empty list of canonical values', () => {
    expect(JSON.stringify(schemaList(AT))).not.toContain('"canonicalValues":[]');
  });
});

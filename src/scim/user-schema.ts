import {
  attributeTable,
  type Extension,
  extensionAttribute,
  type ResourceSchema,
} from './attributes.js';
import {
  type AttributeDescription,
  describeCommonAttributes,
  describeSchema,
  type SchemaDescription,
} from './scimmy.js';

const enterprise = describeSchema('EnterpriseUser');

export const ENTERPRISE: Extension = { urn: enterprise.id, key: 'enterprise' };

/** The role is worked out from group memberships (decisions.md 5), so nobody writes it by SCIM. */
const asEffectiveRole = (roles: AttributeDescription): AttributeDescription => ({
  ...roles,
  description: 'The role in force, as role mappings and the default of the organisation give it.',
  mutability: 'readOnly',
  subAttributes: (roles.subAttributes ?? [])
    .filter(({ name }) => name === 'value' || name === 'primary')
    .map((each) => ({
      ...each,
      mutability: 'readOnly',
      ...(each.name === 'value' ? { caseExact: true } : {}),
    })),
});

/** scimmy says "none allowed" where the RFC names no canonical values. */
export const withoutEmptyLists = (given: AttributeDescription): AttributeDescription => {
  const { canonicalValues, subAttributes, ...rest } = given;
  return {
    ...rest,
    ...(canonicalValues?.length ? { canonicalValues } : {}),
    ...(subAttributes ? { subAttributes: subAttributes.map(withoutEmptyLists) } : {}),
  };
};

/**
 * Whether somebody may sign in is never unsaid: every user has `active`, and to take it away is
 * refused (RFC 7644, 3.5.2.2), so that it brings nobody back.
 */
const asAlwaysThere = (active: AttributeDescription): AttributeDescription => ({
  ...active,
  required: true,
});

const CHANGED: Readonly<Record<string, (given: AttributeDescription) => AttributeDescription>> = {
  roles: asEffectiveRole,
  active: asAlwaysThere,
};

const ourAttribute = (given: AttributeDescription): AttributeDescription =>
  withoutEmptyLists(CHANGED[given.name]?.(given) ?? given);

const core = describeSchema('User');

/** The schemas as we serve them, for discovery (RFC 7643, 8.7). */
export const USER_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...core,
  attributes: core.attributes.map(ourAttribute),
};

export const ENTERPRISE_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...enterprise,
  attributes: enterprise.attributes.map(ourAttribute),
};

/** The User type with its Enterprise extension (RFC 7643, 4.1 and 4.3). */
export const USER: ResourceSchema = {
  name: 'User',
  endpoint: '/Users',
  urn: core.id,
  extensions: [ENTERPRISE],
  attributes: new Map([
    ...attributeTable(describeCommonAttributes()),
    ...attributeTable(USER_SCHEMA_DESCRIPTION.attributes),
    [
      ENTERPRISE.urn.toLowerCase(),
      extensionAttribute(ENTERPRISE, ENTERPRISE_SCHEMA_DESCRIPTION.attributes),
    ],
  ]),
  defaulted: new Set(['active']),
  // Entra sends them, even by path (facts on identity providers, 5); the role in force stays.
  ignoredOnWrite: new Set(['roles']),
  sortable: new Set(['id', 'userName', 'displayName', 'meta.created', 'meta.lastModified']),
  onlyEqual: new Set(['groups.value', 'groups.display', 'groups.type']),
  unfilterable: new Map([
    ['password', 'it is never kept'],
    ['groups.$ref', 'filter by groups.value instead'],
    ['meta.location', 'filter by id instead'],
    ['meta.version', 'send If-None-Match instead'],
  ]),
};

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

/** The role is computed from group memberships (decisions.md 5), so it is read-only in SCIM. */
const asEffectiveRole = (roles: AttributeDescription): AttributeDescription => ({
  ...roles,
  description: "The effective role, from the role mappings and the organisation's default role.",
  mutability: 'readOnly',
  subAttributes: (roles.subAttributes ?? [])
    .filter(({ name }) => name === 'value' || name === 'primary')
    .map((each) => ({
      ...each,
      mutability: 'readOnly',
      ...(each.name === 'value' ? { caseExact: true } : {}),
    })),
});

/** scimmy emits an empty list, which allows no value, where the RFC defines no canonical values. */
export const withoutEmptyLists = (given: AttributeDescription): AttributeDescription => {
  const { canonicalValues, subAttributes, ...rest } = given;
  return {
    ...rest,
    ...(canonicalValues?.length ? { canonicalValues } : {}),
    ...(subAttributes ? { subAttributes: subAttributes.map(withoutEmptyLists) } : {}),
  };
};

/**
 * Every user has `active`. Removing it is refused (RFC 7644, 3.5.2.2), so that a removal cannot
 * reactivate a user.
 */
const asRequired = (active: AttributeDescription): AttributeDescription => ({
  ...active,
  required: true,
});

const ADJUSTMENTS: Readonly<Record<string, (given: AttributeDescription) => AttributeDescription>> =
  {
    roles: asEffectiveRole,
    active: asRequired,
  };

const adjustAttribute = (given: AttributeDescription): AttributeDescription =>
  withoutEmptyLists(ADJUSTMENTS[given.name]?.(given) ?? given);

const core = describeSchema('User');

/** The schemas that discovery returns (RFC 7643, 8.7). */
export const USER_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...core,
  attributes: core.attributes.map(adjustAttribute),
};

export const ENTERPRISE_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...enterprise,
  attributes: enterprise.attributes.map(adjustAttribute),
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
  optionalOnWrite: new Set(['active']),
  // Entra writes roles, even by path (facts on identity providers, 5); the effective role stays.
  ignoredOnWrite: new Set(['roles']),
  sortable: new Set(['id', 'userName', 'displayName', 'meta.created', 'meta.lastModified']),
  equalityOnly: new Set(['groups.value', 'groups.display', 'groups.type']),
  unfilterable: new Map([
    ['password', 'it is never stored'],
    ['groups.$ref', 'filter by groups.value instead'],
    ['meta.location', 'filter by id instead'],
    ['meta.version', 'send If-None-Match instead'],
  ]),
};

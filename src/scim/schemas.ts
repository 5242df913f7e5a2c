import {
  attributeTable,
  type Extension,
  extensionAttribute,
  type ResourceSchema,
  type Attribute,
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
const withoutEmptyLists = (given: AttributeDescription): AttributeDescription => {
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

const USER_ADJUSTMENTS: Readonly<
  Record<string, (given: AttributeDescription) => AttributeDescription>
> = {
  roles: asEffectiveRole,
  active: asRequired,
};

const adjustUserAttribute = (given: AttributeDescription): AttributeDescription =>
  withoutEmptyLists(USER_ADJUSTMENTS[given.name]?.(given) ?? given);

const coreUser = describeSchema('User');

/** The schemas that discovery returns (RFC 7643, 8.7). */
export const USER_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...coreUser,
  attributes: coreUser.attributes.map(adjustUserAttribute),
};

export const ENTERPRISE_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...enterprise,
  attributes: enterprise.attributes.map(adjustUserAttribute),
};

/** The User type with its Enterprise extension (RFC 7643, 4.1 and 4.3). */
export const USER: ResourceSchema = {
  name: 'User',
  endpoint: '/Users',
  urn: coreUser.id,
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

const coreGroup = describeSchema('Group');

type Adjust = (given: AttributeDescription) => AttributeDescription;

/** Group names are unique within an organisation (decisions.md 5). */
const asUnique: Adjust = (displayName) => ({ ...displayName, uniqueness: 'server' });

/** Members are users, identified by `value`; `$ref` and the other sub-attributes follow from it. */
const MEMBER_ADJUSTMENTS: Readonly<Record<string, Adjust>> = {
  value: (value) => ({ ...value, required: true, caseExact: true }),
  display: (display) => ({ ...display, mutability: 'readOnly', returned: 'request' }),
  $ref: ($ref) => ({ ...$ref, caseExact: true, referenceTypes: ['User'] }),
  type: (type) => ({ ...type, canonicalValues: ['User'] }),
};

const asUsers: Adjust = (members) => ({
  ...members,
  description: 'The users in the group; groups cannot be nested.',
  subAttributes: (members.subAttributes ?? []).map(
    (subAttribute) => MEMBER_ADJUSTMENTS[subAttribute.name]?.(subAttribute) ?? subAttribute,
  ),
});

const GROUP_ADJUSTMENTS: Readonly<Record<string, Adjust>> = {
  displayName: asUnique,
  members: asUsers,
};

/** The schema that discovery returns (RFC 7643, 8.7). */
export const GROUP_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...coreGroup,
  attributes: coreGroup.attributes.map((given) =>
    withoutEmptyLists(GROUP_ADJUSTMENTS[given.name]?.(given) ?? given),
  ),
};

const attributes = new Map([
  ...attributeTable(describeCommonAttributes()),
  ...attributeTable(GROUP_SCHEMA_DESCRIPTION.attributes),
]);

/** An attribute of the schema; throws if the library no longer has it. */
const requireAttribute = (name: string): Attribute => {
  const attribute = attributes.get(name);
  if (!attribute) throw new Error(`The library's Group schema has no attribute ${name}.`);
  return attribute;
};

/** A group may have 100,000 members, each stored as its own document. */
export const MEMBERS: Attribute = { ...requireAttribute('members'), isUnbounded: true };

/** The Group type (RFC 7643, 4.2). */
export const GROUP: ResourceSchema = {
  name: 'Group',
  endpoint: '/Groups',
  urn: coreGroup.id,
  extensions: [],
  attributes: new Map([...attributes, ['members', MEMBERS]]),
  optionalOnWrite: new Set(),
  ignoredOnWrite: new Set(),
  sortable: new Set(['id', 'displayName', 'meta.created', 'meta.lastModified']),
  equalityOnly: new Set(['members.value']),
  unfilterable: new Map([
    ['meta.location', 'filter by id instead'],
    ['meta.version', 'send If-None-Match instead'],
  ]),
};

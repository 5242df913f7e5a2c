import { type Attribute, attributeTable, type ResourceSchema } from './attributes.js';
import {
  type AttributeDescription,
  describeCommonAttributes,
  describeSchema,
  type SchemaDescription,
} from './scimmy.js';
import { withoutEmptyLists } from './user-schema.js';

const core = describeSchema('Group');

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

const ADJUSTMENTS: Readonly<Record<string, Adjust>> = { displayName: asUnique, members: asUsers };

/** The schema that discovery returns (RFC 7643, 8.7). */
export const GROUP_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...core,
  attributes: core.attributes.map((given) =>
    withoutEmptyLists(ADJUSTMENTS[given.name]?.(given) ?? given),
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
  urn: core.id,
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

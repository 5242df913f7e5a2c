import { type Attribute, attributeTable, type ResourceSchema } from './attributes.js';
import {
  type AttributeDescription,
  describeCommonAttributes,
  describeSchema,
  type SchemaDescription,
} from './scimmy.js';
import { withoutEmptyLists } from './user-schema.js';

const core = describeSchema('Group');

type Change = (given: AttributeDescription) => AttributeDescription;

/** No two groups of an organisation have the same name (decisions.md 5). */
const asUnique: Change = (displayName) => ({ ...displayName, uniqueness: 'server' });

/** Members are users. Whom a client means, its `value` says; `$ref` and the rest follow from it. */
const MEMBER_PARTS: Readonly<Record<string, Change>> = {
  value: (value) => ({ ...value, required: true, caseExact: true }),
  display: (display) => ({ ...display, mutability: 'readOnly', returned: 'request' }),
  $ref: ($ref) => ({ ...$ref, caseExact: true, referenceTypes: ['User'] }),
  type: (type) => ({ ...type, canonicalValues: ['User'] }),
};

const asUsers: Change = (members) => ({
  ...members,
  description: 'The users in the group; groups cannot be nested.',
  subAttributes: (members.subAttributes ?? []).map(
    (part) => MEMBER_PARTS[part.name]?.(part) ?? part,
  ),
});

const CHANGED: Readonly<Record<string, Change>> = { displayName: asUnique, members: asUsers };

/** The schema as we serve it, for discovery (RFC 7643, 8.7). */
export const GROUP_SCHEMA_DESCRIPTION: SchemaDescription = {
  ...core,
  attributes: core.attributes.map((given) =>
    withoutEmptyLists(CHANGED[given.name]?.(given) ?? given),
  ),
};

const attributes = new Map([
  ...attributeTable(describeCommonAttributes()),
  ...attributeTable(GROUP_SCHEMA_DESCRIPTION.attributes),
]);

/** An attribute that the schema is sure to have. */
const known = (name: string): Attribute => {
  const attribute = attributes.get(name);
  if (!attribute) throw new Error(`The Group schema of the library has no ${name}.`);
  return attribute;
};

/** A group may have a hundred thousand members, each kept by itself. */
export const MEMBERS: Attribute = { ...known('members'), isUnbounded: true };

/** The Group type (RFC 7643, 4.2). */
export const GROUP: ResourceSchema = {
  name: 'Group',
  endpoint: '/Groups',
  urn: core.id,
  extensions: [],
  attributes: new Map([...attributes, ['members', MEMBERS]]),
  defaulted: new Set(),
  ignoredOnWrite: new Set(),
  sortable: new Set(['id', 'displayName', 'meta.created', 'meta.lastModified']),
  onlyEqual: new Set(['members.value']),
  unfilterable: new Map([
    ['meta.location', 'filter by id instead'],
    ['meta.version', 'send If-None-Match instead'],
  ]),
};

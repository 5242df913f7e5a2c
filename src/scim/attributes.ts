import type { AttributeReference } from '../domain/kernel/filter.js';
import type { AttributeDescription } from './scimmy.js';

export type AttributeType =
  'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';

/** An attribute of a resource type, prepared for lookup by name. */
export interface Attribute {
  /** As spelled in the RFC. */
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: 'always' | 'never' | 'default' | 'request';
  /** Its path in a profile or resource, and how its values compare. */
  readonly reference: AttributeReference;
  /**
   * Whether it is a sub-attribute of a multi-valued attribute, so that a path alone is ambiguous.
   */
  readonly inList: boolean;
  /**
   * A list of any length whose elements are stored separately: the members of a group. Its values
   * are read unchanged, and an empty list is kept.
   */
  readonly isUnbounded: boolean;
  readonly subAttributes: AttributeTable;
}

/** Attributes by lower-case name: names are case-insensitive (RFC 7643, 2.1). */
export type AttributeTable = ReadonlyMap<string, Attribute>;

/** A schema extension, and the key that holds its attributes in a profile. */
export interface Extension {
  readonly urn: string;
  readonly key: string;
  /** Whether unknown attributes are ignored in paths, too: those that a tenant removed. */
  readonly ignoresUnknown?: true;
}

/** A resource type, as used to read, filter and patch its resources. */
export interface ResourceSchema {
  readonly name: string;
  /** Relative to the SCIM base: `/Users`. */
  readonly endpoint: string;
  readonly urn: string;
  readonly extensions: readonly Extension[];
  /** Includes each extension as a complex attribute under its lower-case URN. */
  readonly attributes: AttributeTable;
  /** Names of required attributes that a create or replace may omit. */
  readonly optionalOnWrite: ReadonlySet<string>;
  /** Names of read-only attributes that clients write anyway; the written values are ignored. */
  readonly ignoredOnWrite: ReadonlySet<string>;
  /** Paths of the attributes that `sortBy` accepts. */
  readonly sortable: ReadonlySet<string>;
  /** Paths of the attributes that filters can only compare by eq, ne and pr. */
  readonly equalityOnly: ReadonlySet<string>;
  /** Paths of the attributes that filters cannot use, with the reason. */
  readonly unfilterable: ReadonlyMap<string, string>;
}

const FILTER_TYPES: Readonly<Record<AttributeType, AttributeReference['type']>> = {
  string: 'string',
  reference: 'string',
  binary: 'string',
  boolean: 'boolean',
  decimal: 'number',
  integer: 'number',
  dateTime: 'dateTime',
  complex: 'complex',
};

/** The attribute that contains a sub-attribute; undefined at the top level. */
type Parent = Pick<Attribute, 'reference' | 'multiValued'>;

const attributeOf = (given: AttributeDescription, parent: Parent | undefined): Attribute => {
  const type = given.type as AttributeType;
  const path = [...(parent?.reference.path ?? []), given.name];
  const reference = {
    path,
    type: FILTER_TYPES[type],
    caseExact: given.caseExact ?? false,
    ...(given.multiValued && type !== 'complex' && { isList: true as const }),
  };
  return {
    name: given.name,
    type,
    multiValued: given.multiValued,
    required: given.required,
    mutability: given.mutability as Attribute['mutability'],
    returned: given.returned as Attribute['returned'],
    reference,
    inList: parent?.multiValued ?? false,
    isUnbounded: false,
    subAttributes: attributeTable(given.subAttributes ?? [], {
      reference,
      multiValued: given.multiValued,
    }),
  };
};

export const attributeTable = (
  given: readonly AttributeDescription[],
  parent?: Parent,
): AttributeTable =>
  new Map(
    given.map((each) => {
      const attribute = attributeOf(each, parent);
      return [attribute.name.toLowerCase(), attribute];
    }),
  );

/** The complex attribute that represents an extension in a resource. */
export const extensionAttribute = (
  { urn, key }: Extension,
  given: readonly AttributeDescription[],
): Attribute => {
  const reference = { path: [key], type: 'complex', caseExact: false } as const;
  return {
    name: urn,
    type: 'complex',
    multiValued: false,
    required: false,
    mutability: 'readWrite',
    returned: 'default',
    reference,
    inList: false,
    isUnbounded: false,
    subAttributes: attributeTable(given, { reference, multiValued: false }),
  };
};

/** Resolves a dotted name such as `name.familyName`. */
const findInTable = (table: AttributeTable, dotted: string): Attribute | undefined => {
  const [first = '', ...rest] = dotted.split('.');
  return rest.reduce<Attribute | undefined>(
    (attribute, name) => attribute?.subAttributes.get(name),
    table.get(first),
  );
};

/** The part of a name after the URN; undefined if the name is not qualified with this URN. */
const afterUrn = (name: string, urn: string): string | undefined => {
  const prefix = `${urn.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
};

const findInExtension = (
  { attributes }: ResourceSchema,
  { urn }: Extension,
  name: string,
): Attribute | undefined => {
  const rest = afterUrn(name, urn);
  return rest === undefined
    ? undefined
    : findInTable(attributes.get(urn.toLowerCase())?.subAttributes ?? new Map(), rest);
};

/**
 * The attribute with this name, case-insensitively: `userName`, `name.familyName`, both qualified
 * with the core URN, and `urn:…:enterprise:2.0:User[:manager.value]` (RFC 7644, 3.10).
 */
export const findAttribute = (schema: ResourceSchema, text: string): Attribute | undefined => {
  const name = text.toLowerCase();
  if (!name.startsWith('urn:')) return findInTable(schema.attributes, name);
  const core = afterUrn(name, schema.urn);
  if (core !== undefined) return findInTable(schema.attributes, core);
  const extension = schema.attributes.get(name);
  if (extension) return extension;
  for (const each of schema.extensions) {
    const found = findInExtension(schema, each, name);
    if (found) return found;
  }
  return undefined;
};

/** Whether a name is of an extension that ignores what it does not know. */
export const isIgnoredName = ({ extensions }: ResourceSchema, name: string): boolean =>
  extensions.some(
    ({ urn, ignoresUnknown }) =>
      ignoresUnknown === true && afterUrn(name.toLowerCase(), urn) !== undefined,
  );

/** Accepted but not stored (decisions.md 4); `schemas` is derived from the stored attributes. */
export const NEVER_STORED: ReadonlySet<string> = new Set(['schemas', 'password']);

/** Whether clients can set the attribute; other values are silently ignored (RFC 7644, 3.5.1). */
export const isStored = ({ name, mutability }: Attribute): boolean =>
  mutability !== 'readOnly' && !NEVER_STORED.has(name);

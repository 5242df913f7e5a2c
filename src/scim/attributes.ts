import type { AttributeReference } from '../domain/filter.js';
import type { AttributeDescription } from './scimmy.js';

export type AttributeType =
  'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';

/** An attribute of a resource type, ready for look-ups. */
export interface Attribute {
  /** As the RFC writes it. */
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: 'always' | 'never' | 'default' | 'request';
  /** Where it stands in a profile or resource, and how its values compare. */
  readonly reference: AttributeReference;
  /** Whether it is a part of the elements of a list, so that a path alone does not find it. */
  readonly inList: boolean;
  /**
   * A list without a bound of its own, whose elements are kept apart: the members of a group. What a
   * body says of it is read as it is, and an empty one is said outright.
   */
  readonly isUnbounded: boolean;
  readonly subAttributes: AttributeTable;
}

/** Attributes by their name in lower case, for names have no case (RFC 7643, 2.1). */
export type AttributeTable = ReadonlyMap<string, Attribute>;

/** A schema extension and the key under which its attributes stand in a profile. */
export interface Extension {
  readonly urn: string;
  readonly key: string;
}

/** A type of resource: everything that reading, filtering and patching know of it. */
export interface ResourceSchema {
  readonly name: string;
  /** Relative to the SCIM base: `/Users`. */
  readonly endpoint: string;
  readonly urn: string;
  readonly extensions: readonly Extension[];
  /** An extension is in it as a complex attribute under its URN in lower case. */
  readonly attributes: AttributeTable;
  /** Required attributes that a create or replace may leave out all the same, by name. */
  readonly defaulted: ReadonlySet<string>;
  /** Read-only attributes that clients write all the same, by name: what they write is ignored. */
  readonly ignoredOnWrite: ReadonlySet<string>;
  /** Attributes by which a list can be sorted, by path. */
  readonly sortable: ReadonlySet<string>;
  /** Attributes that a filter may ask for by eq, ne and pr alone, by path. */
  readonly onlyEqual: ReadonlySet<string>;
  /** Attributes that no filter may name, by path, and why not. */
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

/** What an attribute is a part of: nothing, for those of the resource itself. */
type Parent = Pick<Attribute, 'reference' | 'multiValued'>;

const attributeOf = (given: AttributeDescription, parent: Parent | undefined): Attribute => {
  const type = given.type as AttributeType;
  const path = [...(parent?.reference.path ?? []), given.name];
  const reference = { path, type: FILTER_TYPES[type], caseExact: given.caseExact ?? false };
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

/** An extension as the complex attribute that it is in a resource. */
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

/** Follows `name.familyName` down a table. */
const walk = (table: AttributeTable, dotted: string): Attribute | undefined => {
  const [first = '', ...rest] = dotted.split('.');
  return rest.reduce<Attribute | undefined>(
    (attribute, name) => attribute?.subAttributes.get(name),
    table.get(first),
  );
};

/** The part of a name after `urn:`; undefined where it is not qualified with that URN. */
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
    : walk(attributes.get(urn.toLowerCase())?.subAttributes ?? new Map(), rest);
};

/**
 * The attribute that a name stands for, in any case: `userName`, `name.familyName`, the same
 * qualified with the core URN, and `urn:…:enterprise:2.0:User[:manager.value]` (RFC 7644, 3.10).
 */
export const findAttribute = (schema: ResourceSchema, text: string): Attribute | undefined => {
  const name = text.toLowerCase();
  if (!name.startsWith('urn:')) return walk(schema.attributes, name);
  const core = afterUrn(name, schema.urn);
  if (core !== undefined) return walk(schema.attributes, core);
  const extension = schema.attributes.get(name);
  if (extension) return extension;
  for (const each of schema.extensions) {
    const found = findInExtension(schema, each, name);
    if (found) return found;
  }
  return undefined;
};

/** What clients may send and nobody keeps (decisions.md 4); `schemas` follows from what is there. */
const NEVER_KEPT: ReadonlySet<string> = new Set(['schemas', 'password']);

/** Whether clients can set it; what they cannot is dropped without a word (RFC 7644, 3.5.1). */
export const isKept = ({ name, mutability }: Attribute): boolean =>
  mutability !== 'readOnly' && !NEVER_KEPT.has(name);

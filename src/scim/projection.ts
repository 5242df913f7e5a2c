import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import { findAttribute, type ResourceSchema } from './attributes.js';

/** Names as they appear in a response; for each, its named sub-attributes or 'all'. */
type Names = ReadonlyMap<string, Names | 'all'>;

/** The requested attributes of a resource (RFC 7644, 3.4.2.5). */
export type Projection =
  | { readonly kind: 'all' }
  | { readonly kind: 'only'; readonly names: Names }
  | { readonly kind: 'without'; readonly names: Names };

export const ALL_ATTRIBUTES: Projection = { kind: 'all' };

/** Always returned (RFC 7643, 3 and 7). */
const ALWAYS: readonly string[] = ['schemas', 'id'];

type MutableNames = Map<string, MutableNames | 'all'>;

const addName = (names: MutableNames, [name, ...rest]: readonly string[]): void => {
  if (name === undefined) return;
  const known = names.get(name);
  if (known === 'all') return;
  if (rest.length === 0) names.set(name, 'all');
  else {
    const below: MutableNames = known ?? new Map<string, MutableNames | 'all'>();
    names.set(name, below);
    addName(below, rest);
  }
};

/** The path of an attribute in a response, where an extension appears under its URN. */
const pathInResponse = (
  { extensions }: ResourceSchema,
  [first = '', ...rest]: readonly string[],
): readonly string[] => [extensions.find(({ key }) => key === first)?.urn ?? first, ...rest];

/** Ignores unknown names: IdPs send them, and RFC 7644, 3.10 does not define them. */
const namesOf = (schema: ResourceSchema, texts: readonly string[]): Names => {
  const names: MutableNames = new Map();
  for (const text of texts) {
    const attribute = findAttribute(schema, text);
    if (attribute) addName(names, pathInResponse(schema, attribute.reference.path));
  }
  return names;
};

/**
 * `emails[type eq "work"]` is not an attribute name (RFC 7644, 3.10), but Microsoft's sample client
 * sends it in `attributes`. It gets the whole list, which includes the selected elements.
 */
const withoutSelection = (text: string): string => text.replace(/\[[^\]]*\]?/, '');

/** The query parameters of the same names; empty if absent. */
export interface AttributeParameters {
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

/** The parameters are mutually exclusive (RFC 7644, 3.9); if both are given, `attributes` wins. */
export const readProjection = (
  schema: ResourceSchema,
  { attributes, excludedAttributes }: AttributeParameters,
): Projection => {
  if (attributes.length > 0) {
    return {
      kind: 'only',
      names: namesOf(schema, [...attributes.map(withoutSelection), ...ALWAYS]),
    };
  }
  if (excludedAttributes.length === 0) return ALL_ATTRIBUTES;
  const names = new Map(namesOf(schema, excludedAttributes));
  for (const name of ALWAYS) names.delete(name);
  return { kind: 'without', names };
};

type Select = (value: JsonObject, names: Names) => JsonObject;

const selectBelow = (
  value: JsonValue | undefined,
  names: Names,
  select: Select,
): JsonValue | undefined => {
  if (Array.isArray(value)) {
    return (value as JsonValue[])
      .map((each) => selectBelow(each, names, select))
      .filter((each) => each !== undefined);
  }
  if (!isJsonObject(value)) return value;
  const remaining = select(value, names);
  return Object.keys(remaining).length > 0 ? remaining : undefined;
};

const keep: Select = (value, names) => {
  const kept: Record<string, JsonValue> = {};
  for (const [name, below] of names) {
    const member = below === 'all' ? value[name] : selectBelow(value[name], below, keep);
    if (member !== undefined) kept[name] = member;
  }
  return kept;
};

const drop: Select = (value, names) => {
  const kept: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    const below = names.get(name);
    const remaining =
      below === undefined || below === 'all' ? member : selectBelow(member, below, drop);
    if (below !== 'all' && remaining !== undefined) kept[name] = remaining;
  }
  return kept;
};

/** The requested part of a resource. */
export const project = (resource: JsonObject, projection: Projection): JsonObject => {
  switch (projection.kind) {
    case 'all':
      return resource;
    case 'only':
      return keep(resource, projection.names);
    case 'without':
      return drop(resource, projection.names);
  }
};

/** Whether at least a part of the attribute is requested. */
export const includesAttribute = (projection: Projection, name: string): boolean => {
  switch (projection.kind) {
    case 'all':
      return true;
    case 'only':
      return projection.names.has(name);
    case 'without':
      return projection.names.get(name) !== 'all';
  }
};

/** Whether a sub-attribute is requested; for lists, of their elements. */
export const includesSubAttribute = (
  projection: Projection,
  name: string,
  subAttribute: string,
): boolean => {
  const below = projection.kind === 'all' ? undefined : projection.names.get(name);
  if (below === undefined || below === 'all') return includesAttribute(projection, name);
  return below.has(subAttribute) === (projection.kind === 'only');
};

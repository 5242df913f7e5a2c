import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import { findAttribute, type ResourceSchema } from './attributes.js';

/** Names as they stand in an answer, and below each what is named of it: all, or these parts. */
type Names = ReadonlyMap<string, Names | 'all'>;

/** Which part of a resource is asked for (RFC 7644, 3.4.2.5). */
export type Projection =
  | { readonly kind: 'all' }
  | { readonly kind: 'only'; readonly names: Names }
  | { readonly kind: 'without'; readonly names: Names };

export const WHOLE: Projection = { kind: 'all' };

/** In every answer, whatever is asked for (RFC 7643, 3 and 7). */
const ALWAYS: readonly string[] = ['schemas', 'id'];

type MutableNames = Map<string, MutableNames | 'all'>;

const enter = (names: MutableNames, [name, ...rest]: readonly string[]): void => {
  if (name === undefined) return;
  const known = names.get(name);
  if (known === 'all') return;
  if (rest.length === 0) names.set(name, 'all');
  else {
    const below: MutableNames = known ?? new Map<string, MutableNames | 'all'>();
    names.set(name, below);
    enter(below, rest);
  }
};

/** Where an attribute stands in an answer: an extension under its URN. */
const placeInAnswer = (
  { extensions }: ResourceSchema,
  [first = '', ...rest]: readonly string[],
): readonly string[] => [extensions.find(({ key }) => key === first)?.urn ?? first, ...rest];

/** Unknown names are passed over (RFC 7644, 3.10 leaves them open; IdPs send them). */
const namesOf = (schema: ResourceSchema, texts: readonly string[]): Names => {
  const names: MutableNames = new Map();
  for (const text of texts) {
    const attribute = findAttribute(schema, text);
    if (attribute) enter(names, placeInAnswer(schema, attribute.reference.path));
  }
  return names;
};

/**
 * `emails[type eq "work"]` is no name (RFC 7644, 3.10), but Microsoft's sample client asks for it:
 * it gets the whole list, which holds what it wants. To leave a part out, a name it must be.
 */
const withoutSelection = (text: string): string => text.replace(/\[[^\]]*\]?/, '');

/** The names that a client gave; none where it gave no such parameter, or an empty one. */
export interface AskedNames {
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

/** Both at once exclude each other (RFC 7644, 3.9); then what is asked for wins. */
export const readProjection = (
  schema: ResourceSchema,
  { attributes, excludedAttributes }: AskedNames,
): Projection => {
  if (attributes.length > 0) {
    return {
      kind: 'only',
      names: namesOf(schema, [...attributes.map(withoutSelection), ...ALWAYS]),
    };
  }
  if (excludedAttributes.length === 0) return WHOLE;
  const names = new Map(namesOf(schema, excludedAttributes));
  for (const name of ALWAYS) names.delete(name);
  return { kind: 'without', names };
};

type Cut = (value: JsonObject, names: Names) => JsonObject;

const cutBelow = (value: JsonValue | undefined, names: Names, cut: Cut): JsonValue | undefined => {
  if (Array.isArray(value)) {
    return (value as JsonValue[])
      .map((each) => cutBelow(each, names, cut))
      .filter((each) => each !== undefined);
  }
  if (!isJsonObject(value)) return value;
  const left = cut(value, names);
  return Object.keys(left).length > 0 ? left : undefined;
};

const keep: Cut = (value, names) => {
  const kept: Record<string, JsonValue> = {};
  for (const [name, below] of names) {
    const member = below === 'all' ? value[name] : cutBelow(value[name], below, keep);
    if (member !== undefined) kept[name] = member;
  }
  return kept;
};

const drop: Cut = (value, names) => {
  const kept: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    const below = names.get(name);
    const left = below === undefined || below === 'all' ? member : cutBelow(member, below, drop);
    if (below !== 'all' && left !== undefined) kept[name] = left;
  }
  return kept;
};

/** The part of an answer that is asked for. */
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

/** Whether any of an attribute is asked for; without a word about it, it is. */
export const asksFor = (projection: Projection, name: string): boolean => {
  switch (projection.kind) {
    case 'all':
      return true;
    case 'only':
      return projection.names.has(name);
    case 'without':
      return projection.names.get(name) !== 'all';
  }
};

/** Whether this part of an attribute is asked for; for lists, of their elements. */
export const asksForPart = (projection: Projection, name: string, part: string): boolean => {
  const below = projection.kind === 'all' ? undefined : projection.names.get(name);
  if (below === undefined || below === 'all') return asksFor(projection, name);
  return below.has(part) === (projection.kind === 'only');
};

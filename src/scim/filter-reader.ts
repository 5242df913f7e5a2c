import { type Filter, matchFilter } from '../domain/kernel/filter.js';
import { type Attribute, findAttribute, type ResourceSchema } from './attributes.js';
import {
  comparison,
  matchAll,
  matchNone,
  presence,
  readOperator,
  requireFilterable,
  type Subject,
} from './filter-conditions.js';
import {
  countTerm,
  createFilterCursor,
  expect,
  isNext,
  nested,
  peek,
  quote,
  refuseFilter,
  refuseToken,
  take,
  type Token,
  type TokenCursor,
} from './filter-tokens.js';

/** Where names are looked up: the resource, or the attribute before the brackets. */
export interface Scope {
  readonly schema: ResourceSchema;
  readonly parent?: Attribute;
  /** The other types of the search: naming an attribute that only they have is not an error. */
  readonly otherSchemas?: readonly ResourceSchema[];
}

/** In brackets, names may be qualified: `emails[urn:…:User:emails.type eq "work"]`, `urn:…:User:type`. */
const findInElement = (
  schema: ResourceSchema,
  { name, subAttributes }: Attribute,
  text: string,
) => {
  const names = [text, text.replace(/:([^:]+)$/, `:${name}.$1`)];
  const isNamed = (each: Attribute) => names.some((one) => findAttribute(schema, one) === each);
  return subAttributes.get(text.toLowerCase()) ?? [...subAttributes.values()].find(isNamed);
};

const findInScope = ({ schema, parent }: Scope, token: Token): Attribute => {
  const found = parent
    ? findInElement(schema, parent, token.text)
    : findAttribute(schema, token.text);
  const owner = parent ? parent.name : schema.name;
  return found ?? refuseFilter(token.at, `${quote(token)} is not an attribute of ${owner}`);
};

/** Inside the brackets of a list, paths are relative to its element. */
const subjectOf = (scope: Scope, token: Token): Subject => {
  const attribute = requireFilterable(scope.schema, token, findInScope(scope, token));
  const start = scope.parent?.multiValued ? scope.parent.reference.path.length : 0;
  const path = attribute.reference.path.slice(start);
  return { token, attribute, reference: { ...attribute.reference, path } };
};

const readTest = (cursor: TokenCursor, { schema }: Scope, subject: Subject): Filter => {
  countTerm(cursor, subject.token);
  const operator = readOperator(take(cursor));
  return operator === 'pr'
    ? presence(schema, subject)
    : comparison(schema, subject, operator, take(cursor));
};

/** `.value` right after the brackets: not in the RFC's grammar, but Entra sends it. */
const readTrailingSubAttribute = (cursor: TokenCursor, scope: Scope): Filter | undefined => {
  const { kind, text, at } = peek(cursor);
  if (kind !== 'word' || !text.startsWith('.')) return undefined;
  take(cursor);
  return readTest(cursor, scope, subjectOf(scope, { kind, text: text.slice(1), at: at + 1 }));
};

/** Reads the filter in brackets, in the scope of the attribute before them. */
export const readSelector = (cursor: TokenCursor, scope: Scope): Filter => {
  expect(cursor, '[', '"["');
  const selector = nested(cursor, () => readOr(cursor, scope));
  expect(cursor, ']', 'and, or, or "]"');
  return selector;
};

const readElement = (
  cursor: TokenCursor,
  { schema }: Scope,
  { attribute, token }: Subject,
): Filter => {
  // `tags[value eq "a"]` of a list of texts is `tags eq "a"`.
  const parent =
    attribute.multiValued && attribute.type !== 'complex'
      ? { ...attribute, multiValued: false, subAttributes: new Map([['value', attribute]]) }
      : attribute;
  if (parent.subAttributes.size === 0)
    refuseFilter(token.at, `${quote(token)} has no sub-attributes to filter by`);
  const inner: Scope = { schema, parent };
  const selector = readSelector(cursor, inner);
  const trailing = readTrailingSubAttribute(cursor, inner);
  const of: Filter = trailing ? { kind: 'and', of: [selector, trailing] } : selector;
  return parent.multiValued ? { kind: 'element', attribute: parent.reference, of } : of;
};

const readGroup = (cursor: TokenCursor, scope: Scope): Filter => {
  expect(cursor, '(', '"("');
  const group = nested(cursor, () => readOr(cursor, scope));
  expect(cursor, ')', 'and, or, or ")"');
  return group;
};

/** The type that has the attribute, if the searched type does not. */
const foreignSchemaOf = ({ schema, parent, otherSchemas = [] }: Scope, name: Token) =>
  parent || name.kind !== 'word' || findAttribute(schema, name.text)
    ? undefined
    : otherSchemas.find((other) => findAttribute(other, name.text));

/**
 * An attribute that only another type has counts as absent (RFC 7644, 3.4.2.1), so the term is true
 * or false for all resources.
 */
const readForeignTerm = (
  cursor: TokenCursor,
  scope: Scope,
  foreignSchema: ResourceSchema,
): Filter => {
  const filter = readTerm(cursor, { schema: foreignSchema });
  return matchFilter(filter, {}) ? matchAll(scope.schema) : matchNone(scope.schema);
};

const readTerm = (cursor: TokenCursor, scope: Scope): Filter => {
  const foreignSchema = foreignSchemaOf(scope, peek(cursor));
  if (foreignSchema) return readForeignTerm(cursor, scope, foreignSchema);
  if (peek(cursor).kind === '(') return readGroup(cursor, scope);
  if (isNext(cursor, 'not') && peek(cursor, 1).kind === '(') {
    take(cursor);
    return { kind: 'not', of: readGroup(cursor, scope) };
  }
  const token = expect(cursor, 'word', 'an attribute, not (…) or (…)');
  const subject = subjectOf(scope, token);
  return peek(cursor).kind === '['
    ? readElement(cursor, scope, subject)
    : readTest(cursor, scope, subject);
};

/** One term, or several joined by the same operator. */
const readChain = (cursor: TokenCursor, kind: 'and' | 'or', readPart: () => Filter): Filter => {
  const first = readPart();
  const of = [first];
  while (isNext(cursor, kind)) {
    take(cursor);
    of.push(readPart());
  }
  return of.length === 1 ? first : { kind, of };
};

/** `and` binds closer than `or` (RFC 7644, 3.4.2.2). */
const readOr = (cursor: TokenCursor, scope: Scope): Filter =>
  readChain(cursor, 'or', () => readChain(cursor, 'and', () => readTerm(cursor, scope)));

/**
 * Parses a filter (RFC 7644, 3.4.2.2) and resolves its attributes. Names and operators are
 * case-insensitive. Takes linear time. Throws RefusalError INVALID_FILTER with the position and
 * what was expected.
 */
export const readFilter = (
  text: string,
  schema: ResourceSchema,
  otherSchemas: readonly ResourceSchema[] = [],
): Filter => {
  const cursor = createFilterCursor(text);
  const filter = readOr(cursor, { schema, otherSchemas });
  const rest = peek(cursor);
  return rest.kind === 'end' ? filter : refuseToken(rest, 'and, or, or the end of the filter');
};

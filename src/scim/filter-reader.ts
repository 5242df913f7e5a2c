import type { Filter } from '../domain/filter.js';
import { matchFilter } from '../domain/match-filter.js';
import { type Attribute, findAttribute, type ResourceSchema } from './attributes.js';
import {
  always,
  comparison,
  never,
  presence,
  readOperator,
  requireFilterable,
  type Subject,
} from './filter-conditions.js';
import {
  countTerm,
  type Cursor,
  expect,
  isNext,
  nested,
  openFilter,
  peek,
  refuseToken,
  take,
} from './filter-cursor.js';
import { quote, refuseFilter, type Token } from './filter-tokens.js';

/** Where names are looked up: in the resource, or in what stands before the brackets. */
export interface Scope {
  readonly schema: ResourceSchema;
  readonly parent?: Attribute;
  /** Types that are searched at the same time: what only they have is no mistake. */
  readonly others?: readonly ResourceSchema[];
}

const findIn = ({ schema, parent }: Scope, token: Token): Attribute => {
  const found = parent
    ? parent.subAttributes.get(token.text.toLowerCase())
    : findAttribute(schema, token.text);
  const whole = parent ? parent.name : schema.name;
  return found ?? refuseFilter(token.at, `${quote(token)} is no attribute of ${whole}`);
};

/** Inside the brackets of a list names start at its element, else at the resource. */
const subjectOf = (scope: Scope, token: Token): Subject => {
  const attribute = requireFilterable(scope.schema, token, findIn(scope, token));
  const start = scope.parent?.multiValued ? scope.parent.reference.path.length : 0;
  const path = attribute.reference.path.slice(start);
  return { token, attribute, reference: { ...attribute.reference, path } };
};

const readTest = (cursor: Cursor, { schema }: Scope, subject: Subject): Filter => {
  countTerm(cursor, subject.token);
  const operator = readOperator(take(cursor));
  return operator === 'pr'
    ? presence(schema, subject)
    : comparison(schema, subject, operator, take(cursor));
};

/** `.value` right after the brackets: no part of the RFC's grammar, but Entra asks so. */
const readPartAfter = (cursor: Cursor, scope: Scope): Filter | undefined => {
  const { kind, text, at } = peek(cursor);
  if (kind !== 'word' || !text.startsWith('.')) return undefined;
  take(cursor);
  return readTest(cursor, scope, subjectOf(scope, { kind, text: text.slice(1), at: at + 1 }));
};

/** What stands in brackets, read in the scope of what stands before them. */
export const readSelector = (cursor: Cursor, scope: Scope): Filter => {
  expect(cursor, '[', '"["');
  const selector = nested(cursor, () => readOr(cursor, scope));
  expect(cursor, ']', 'and, or, or "]"');
  return selector;
};

const readElement = (cursor: Cursor, { schema }: Scope, { attribute, token }: Subject): Filter => {
  if (attribute.type !== 'complex') {
    refuseFilter(token.at, `${quote(token)} has no parts to choose by`);
  }
  const inside: Scope = { schema, parent: attribute };
  const selector = readSelector(cursor, inside);
  const part = readPartAfter(cursor, inside);
  const of: Filter = part ? { kind: 'and', of: [selector, part] } : selector;
  return attribute.multiValued ? { kind: 'element', attribute: attribute.reference, of } : of;
};

const readGroup = (cursor: Cursor, scope: Scope): Filter => {
  expect(cursor, '(', '"("');
  const group = nested(cursor, () => readOr(cursor, scope));
  expect(cursor, ')', 'and, or, or ")"');
  return group;
};

/** The type whose attribute it is, where only another one has it. */
const strangerOf = ({ schema, parent, others = [] }: Scope, name: Token) =>
  parent || name.kind !== 'word' || findAttribute(schema, name.text)
    ? undefined
    : others.find((other) => findAttribute(other, name.text));

/**
 * What only another type has, has no value here (RFC 7644, 3.4.2.1): the answer is known before any
 * resource is looked at.
 */
const readStrange = (cursor: Cursor, scope: Scope, stranger: ResourceSchema): Filter => {
  const filter = readTerm(cursor, { schema: stranger });
  return matchFilter(filter, {}) ? always(scope.schema) : never(scope.schema);
};

const readTerm = (cursor: Cursor, scope: Scope): Filter => {
  const stranger = strangerOf(scope, peek(cursor));
  if (stranger) return readStrange(cursor, scope, stranger);
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

/** One term, or several with the same word between them. */
const readChain = (cursor: Cursor, kind: 'and' | 'or', readPart: () => Filter): Filter => {
  const first = readPart();
  const of = [first];
  while (isNext(cursor, kind)) {
    take(cursor);
    of.push(readPart());
  }
  return of.length === 1 ? first : { kind, of };
};

/** `and` binds closer than `or` (RFC 7644, 3.4.2.2). */
const readOr = (cursor: Cursor, scope: Scope): Filter =>
  readChain(cursor, 'or', () => readChain(cursor, 'and', () => readTerm(cursor, scope)));

/**
 * What a filter of RFC 7644, 3.4.2.2 asks for, with the attributes of the type resolved. Names and
 * operators may be in any case. Time is linear in its length. Throws RefusalError INVALID_FILTER,
 * which tells where and what was expected.
 */
export const readFilter = (
  text: string,
  schema: ResourceSchema,
  others: readonly ResourceSchema[] = [],
): Filter => {
  const cursor = openFilter(text);
  const filter = readOr(cursor, { schema, others });
  const rest = peek(cursor);
  return rest.kind === 'end' ? filter : refuseToken(rest, 'and, or, or the end of the filter');
};

import type { AttributeReference, ComparisonOperator, Filter } from '../domain/kernel/filter.js';
import type { Attribute, ResourceSchema } from './attributes.js';
import { parseInstant } from '../domain/kernel/instants.js';
import { quote, refuseFilter, refuseToken, type Token } from './filter-tokens.js';

/** A value in a filter (RFC 7644, 3.4.2.2: compValue). */
type Literal = string | number | boolean | null;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const WORDS: ReadonlyMap<string, Literal> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const readLiteral = (token: Token): Literal => {
  if (token.kind === 'string') return token.text;
  const word = WORDS.get(token.text.toLowerCase());
  if (token.kind === 'word' && word !== undefined) return word;
  if (token.kind === 'word' && NUMBER.test(token.text)) return Number(token.text);
  return refuseToken(token, 'a value (a string in double quotes, a number, true, false or null)');
};

/** Entra sends booleans also as strings, in any case (facts on identity providers, 2, 5). */
const readBoolean = (literal: Literal): boolean | undefined => {
  const value = typeof literal === 'string' ? WORDS.get(literal.toLowerCase()) : literal;
  return typeof value === 'boolean' ? value : undefined;
};

/** Reads an operand of each type; `expected` describes it in errors. */
const OPERANDS: Readonly<
  Record<
    AttributeReference['type'],
    { readonly read: (literal: Literal) => Literal | undefined; readonly expected: string }
  >
> = {
  string: {
    read: (literal) => (typeof literal === 'string' ? literal : undefined),
    expected: 'a string in double quotes',
  },
  number: {
    read: (literal) => (typeof literal === 'number' ? literal : undefined),
    expected: 'a number',
  },
  dateTime: {
    read: (literal) => parseInstant(String(literal)),
    expected: 'a date and time in double quotes, such as "2026-01-31T12:00:00Z"',
  },
  boolean: { read: readBoolean, expected: 'true or false' },
  complex: { read: () => undefined, expected: 'null' },
};

/** The literal as a value of the attribute's type; null means "no value" for every type. */
const readOperand = (token: Token, { type }: AttributeReference): Literal => {
  const literal = readLiteral(token);
  if (literal === null) return null;
  const { read, expected } = OPERANDS[type];
  return read(literal) ?? refuseToken(token, expected);
};

const OPERATORS: ReadonlySet<string> = new Set([
  'eq',
  'ne',
  'co',
  'sw',
  'ew',
  'gt',
  'ge',
  'lt',
  'le',
] satisfies ComparisonOperator[]);

export const readOperator = (token: Token): ComparisonOperator | 'pr' => {
  const text = token.text.toLowerCase();
  if (token.kind === 'word' && (text === 'pr' || OPERATORS.has(text))) {
    return text as ComparisonOperator | 'pr';
  }
  return refuseToken(token, 'an operator (eq, ne, co, sw, ew, gt, ge, lt, le or pr)');
};

/** The operators that apply to each type (RFC 7644, table 3). */
const ALLOWED_OPERATORS: Readonly<Record<AttributeReference['type'], RegExp>> = {
  string: /^(?:eq|ne|co|sw|ew|gt|ge|lt|le)$/,
  number: /^(?:eq|ne|gt|ge|lt|le)$/,
  dateTime: /^(?:eq|ne|gt|ge|lt|le)$/,
  boolean: /^(?:eq|ne)$/,
  complex: /^$/,
};

/** A filter that every resource of the type matches. */
export const matchAll = ({ attributes }: ResourceSchema): Filter => {
  const id = attributes.get('id');
  if (!id) throw new Error('The resource schema has no id attribute.');
  return { kind: 'present', attribute: id.reference };
};

/** A filter that no resource of the type matches. */
export const matchNone = (schema: ResourceSchema): Filter => ({
  kind: 'not',
  of: matchAll(schema),
});

/** `schemas eq "urn:…"`: whether the resource has this extension (RFC 7644, 3.4.2.2, figure 2). */
const hasSchema = (schema: ResourceSchema, urn: string): Filter => {
  if (urn.toLowerCase() === schema.urn.toLowerCase()) return matchAll(schema);
  const extension = schema.attributes.get(urn.toLowerCase());
  const isExtension = schema.extensions.some((each) => each.urn === extension?.name);
  return extension && isExtension
    ? { kind: 'present', attribute: extension.reference }
    : matchNone(schema);
};

const isOfType = (schema: ResourceSchema, name: string): Filter =>
  name === schema.name ? matchAll(schema) : matchNone(schema);

/** Attributes that are not stored: they follow from the resource's type and extensions. */
const DERIVED: ReadonlyMap<string, (schema: ResourceSchema, value: string) => Filter> = new Map([
  ['schemas', hasSchema],
  ['meta.resourceType', isOfType],
]);

const pathOf = ({ reference }: Attribute): string => reference.path.join('.');

/** An attribute that a filter names, with its token. */
export interface Subject {
  readonly token: Token;
  readonly attribute: Attribute;
  /** Relative to the list element inside brackets. */
  readonly reference: AttributeReference;
}

/** `emails co "x"` means `emails.value co "x"` (RFC 7644, 3.4.2.2); the same for `manager`. */
const withValueSubAttribute = (subject: Subject): Subject => {
  const { attribute, reference, token } = subject;
  if (attribute.type !== 'complex') return subject;
  const value = attribute.subAttributes.get('value');
  const [example] = attribute.subAttributes.values();
  return value
    ? {
        token,
        attribute: value,
        reference: { ...value.reference, path: [...reference.path, 'value'] },
      }
    : refuseFilter(
        token.at,
        `${quote(token)} is complex; compare a sub-attribute, such as ${pathOf(attribute)}.${example?.name ?? ''}`,
      );
};

const derived = (
  schema: ResourceSchema,
  subject: Subject,
  operator: ComparisonOperator,
  value: Literal,
): Filter | undefined => {
  const rule = DERIVED.get(pathOf(subject.attribute));
  if (!rule) return undefined;
  if (typeof value !== 'string' || !(operator === 'eq' || operator === 'ne')) {
    return refuseFilter(
      subject.token.at,
      `${quote(subject.token)} only supports eq and ne with a string in double quotes`,
    );
  }
  const equal = rule(schema, value);
  return operator === 'eq' ? equal : { kind: 'not', of: equal };
};

/**
 * A missing `primary` is false (RFC 7643, 2.4), so an element that is not primary is one whose
 * `primary` is not true. Outside of brackets, some element is meant, as for every list.
 */
const isNotPrimary = (
  { attributes }: ResourceSchema,
  { reference }: Subject,
  operator: ComparisonOperator,
): Filter => {
  const [list = '', ...rest] = reference.path;
  const parent = rest.length > 0 ? attributes.get(list.toLowerCase()) : undefined;
  const attribute = { ...reference, path: ['primary'] };
  const isTrue: Filter = { kind: 'compare', operator: 'eq', attribute, value: true };
  const isFalse: Filter = { kind: 'not', of: isTrue };
  const equal: Filter = parent
    ? { kind: 'element', attribute: parent.reference, of: isFalse }
    : isFalse;
  return operator === 'eq' ? equal : { kind: 'not', of: equal };
};

/** Whether every resource has the attribute, although it is not stored (RFC 7643, 3.1). */
const isAlwaysPresent = (attribute: Attribute): boolean =>
  pathOf(attribute) === 'meta' || DERIVED.has(pathOf(attribute));

export const presence = (schema: ResourceSchema, { attribute, reference }: Subject): Filter =>
  isAlwaysPresent(attribute) ? matchAll(schema) : { kind: 'present', attribute: reference };

export const comparison = (
  schema: ResourceSchema,
  subject: Subject,
  operator: ComparisonOperator,
  operand: Token,
): Filter => {
  const compared = withValueSubAttribute(subject);
  const { token, attribute, reference } = compared;
  const value = readOperand(operand, reference);
  const allowsEqualityOnly = value === null || schema.equalityOnly.has(pathOf(attribute));
  const allowed = allowsEqualityOnly ? /^(?:eq|ne)$/ : ALLOWED_OPERATORS[reference.type];
  if (!allowed.test(operator)) {
    refuseFilter(token.at, `${operator} cannot compare ${quote(token)} with this value`);
  }
  if (attribute.inList && attribute.name === 'primary' && value === false)
    return isNotPrimary(schema, compared, operator);
  return (
    derived(schema, compared, operator, value) ?? {
      kind: 'compare',
      operator,
      attribute: reference,
      value,
    }
  );
};

/** Refuses attributes that filters cannot use. */
export const requireFilterable = (
  { unfilterable }: ResourceSchema,
  token: Token,
  attribute: Attribute,
): Attribute => {
  const reason =
    unfilterable.get(pathOf(attribute)) ?? unfilterable.get(attribute.reference.path[0] ?? '');
  return reason === undefined
    ? attribute
    : refuseFilter(token.at, `${quote(token)} cannot be used in a filter: ${reason}`);
};

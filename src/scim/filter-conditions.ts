import type { AttributeReference, ComparisonOperator, Filter } from '../domain/filter.js';
import type { Attribute, ResourceSchema } from './attributes.js';
import { refuseToken } from './filter-cursor.js';
import { type Literal, readOperand } from './filter-operands.js';
import { quote, refuseFilter, type Token } from './filter-tokens.js';

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

/** Which operators make sense for which type (RFC 7644, table 3). */
const FITTING: Readonly<Record<AttributeReference['type'], RegExp>> = {
  string: /^(?:eq|ne|co|sw|ew|gt|ge|lt|le)$/,
  number: /^(?:eq|ne|gt|ge|lt|le)$/,
  dateTime: /^(?:eq|ne|gt|ge|lt|le)$/,
  boolean: /^(?:eq|ne)$/,
  complex: /^$/,
};

/** What every resource of the type meets. */
export const always = ({ attributes }: ResourceSchema): Filter => {
  const id = attributes.get('id');
  if (!id) throw new Error('A resource schema without id cannot be filtered.');
  return { kind: 'present', attribute: id.reference };
};

/** What none of them meets. */
export const never = (schema: ResourceSchema): Filter => ({ kind: 'not', of: always(schema) });

/** `schemas eq "urn:…"`: has the resource this extension? (RFC 7644, 3.4.2.2, figure 2) */
const hasSchema = (schema: ResourceSchema, urn: string): Filter => {
  if (urn.toLowerCase() === schema.urn.toLowerCase()) return always(schema);
  const extension = schema.attributes.get(urn.toLowerCase());
  const isExtension = schema.extensions.some((each) => each.urn === extension?.name);
  return extension && isExtension
    ? { kind: 'present', attribute: extension.reference }
    : never(schema);
};

const isOfType = (schema: ResourceSchema, name: string): Filter =>
  name === schema.name ? always(schema) : never(schema);

/** Attributes that no resource stores, for they follow from its type and extensions. */
const DERIVED: ReadonlyMap<string, (schema: ResourceSchema, value: string) => Filter> = new Map([
  ['schemas', hasSchema],
  ['meta.resourceType', isOfType],
]);

const pathOf = ({ reference }: Attribute): string => reference.path.join('.');

/** An attribute as a filter names it: where it was found, and what it is. */
export interface Subject {
  readonly token: Token;
  readonly attribute: Attribute;
  /** As the filter has to give it: relative inside brackets. */
  readonly reference: AttributeReference;
}

/** `emails co "x"` means `emails.value co "x"` (RFC 7644, 3.4.2.2), and `manager` likewise. */
const withDefaultPart = (subject: Subject): Subject => {
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
        `${quote(token)} has parts; compare one of them, such as ${pathOf(attribute)}.${example?.name ?? ''}`,
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
      `${quote(subject.token)} takes eq or ne with a text in double quotes`,
    );
  }
  const equal = rule(schema, value);
  return operator === 'eq' ? equal : { kind: 'not', of: equal };
};

/** What every resource has without its being stored (RFC 7643, 3.1). */
const isAlwaysThere = (attribute: Attribute): boolean =>
  pathOf(attribute) === 'meta' || DERIVED.has(pathOf(attribute));

export const presence = (schema: ResourceSchema, { attribute, reference }: Subject): Filter =>
  isAlwaysThere(attribute) ? always(schema) : { kind: 'present', attribute: reference };

export const comparison = (
  schema: ResourceSchema,
  subject: Subject,
  operator: ComparisonOperator,
  operand: Token,
): Filter => {
  const { token, attribute, reference } = withDefaultPart(subject);
  const value = readOperand(operand, reference);
  const isEquation = value === null || schema.onlyEqual.has(pathOf(attribute));
  const fits = isEquation ? /^(?:eq|ne)$/ : FITTING[reference.type];
  if (!fits.test(operator)) {
    refuseFilter(token.at, `${operator} does not apply to ${quote(token)} and this value`);
  }
  return (
    derived(schema, { token, attribute, reference }, operator, value) ?? {
      kind: 'compare',
      operator,
      attribute: reference,
      value,
    }
  );
};

/** Refuses attributes that no filter may ask for. */
export const requireFilterable = (
  { unfilterable }: ResourceSchema,
  token: Token,
  attribute: Attribute,
): Attribute => {
  const reason =
    unfilterable.get(pathOf(attribute)) ?? unfilterable.get(attribute.reference.path[0] ?? '');
  return reason === undefined
    ? attribute
    : refuseFilter(token.at, `${quote(token)} cannot be asked for: ${reason}`);
};

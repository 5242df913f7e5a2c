import fc from 'fast-check';
import type {
  AttributeReference,
  ComparisonOperator,
  Filter,
} from '../../src/domain/kernel/filter.js';
import type { Attribute, AttributeTable } from '../../src/scim/attributes.js';
import { USER } from '../../src/scim/schemas.js';

/**
 * Words that match each other in some way: equal except for case, substrings of each other, or with
 * characters that are special in regular expressions, JSON or MongoDB.
 */
const WORDS = [
  'a',
  'A',
  'ab',
  'AB',
  'b',
  'é',
  'É',
  'e\u0301',
  'straße',
  'a.b',
  'a*b',
  '^a$',
  '(a|b)',
  '[a]',
  'a\\b',
  '"a"',
  '$a',
  'a-b',
  'a b',
  '#a',
  '\u{1F600}',
  '\uFF5E',
  'work',
  'home',
] as const;

export const word = fc.constantFrom(...WORDS);

const DERIVED = new Set(['schemas', 'meta.resourceType']);

const pathOf = ({ reference }: Attribute): string => reference.path.join('.');

const isFilterable = (attribute: Attribute): boolean =>
  !DERIVED.has(pathOf(attribute)) &&
  !USER.unfilterable.has(pathOf(attribute)) &&
  !USER.unfilterable.has(attribute.reference.path[0] ?? '');

/** Some attributes support only eq and ne. */
const operatorsOf = ({ reference }: Attribute): readonly ComparisonOperator[] =>
  USER.equalityOnly.has(reference.path.join('.')) ? ['eq', 'ne'] : OPERATORS[reference.type];

const leavesOf = (table: AttributeTable): readonly Attribute[] =>
  [...table.values()].flatMap((each) =>
    each.type === 'complex' ? leavesOf(each.subAttributes) : [each],
  );

const lists = [...USER.attributes.values()].filter(
  (each) => each.type === 'complex' && each.multiValued && isFilterable(each),
);

const OPERATORS: Record<AttributeReference['type'], readonly ComparisonOperator[]> = {
  string: ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'],
  boolean: ['eq', 'ne'],
  number: ['eq', 'ne', 'gt', 'ge', 'lt', 'le'],
  dateTime: ['eq', 'ne', 'gt', 'ge', 'lt', 'le'],
  complex: [],
};

const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

type Value = string | boolean | number;

const valueOf = (type: AttributeReference['type'], text: fc.Arbitrary<string>) => {
  const values: Record<typeof type, fc.Arbitrary<Value>> = {
    string: text,
    boolean: fc.boolean(),
    number: fc.integer(),
    dateTime: time,
    complex: fc.constant(''),
  };
  return values[type];
};

const relative = ({ reference }: Attribute, start: number): AttributeReference => ({
  ...reference,
  path: reference.path.slice(start),
});

const leaf = (
  attributes: readonly Attribute[],
  start: number,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Filter> =>
  fc.constantFrom(...attributes).chain((given) => {
    const attribute = relative(given, start);
    const { type } = attribute;
    if (given.inList && given.name === 'primary')
      return fc.record({
        kind: fc.constant('compare' as const),
        operator: fc.constantFrom<ComparisonOperator>('eq', 'ne'),
        attribute: fc.constant(attribute),
        value: fc.boolean(),
      });
    return fc.oneof(
      fc.constant({ kind: 'present', attribute } as const),
      fc.record({
        kind: fc.constant('compare' as const),
        operator: fc.constantFrom(...operatorsOf(given)),
        attribute: fc.constant(attribute),
        value: valueOf(type, text),
      }),
      fc.record({
        kind: fc.constant('compare' as const),
        operator: fc.constantFrom<ComparisonOperator>('eq', 'ne'),
        attribute: fc.constant(attribute),
        value: fc.constant(null),
      }),
    );
  });

const tree = (leaves: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaves,
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
    ),
  })).filter;

/** Filters on users, in every form of the grammar, with strings drawn from `text`. */
export const userFilter = (text: fc.Arbitrary<string>): fc.Arbitrary<Filter> => {
  const filterable = leavesOf(USER.attributes).filter(isFilterable);
  const element = fc
    .constantFrom(...lists)
    .chain((list) =>
      tree(
        leaf(
          [...list.subAttributes.values()].filter(isFilterable),
          list.reference.path.length,
          text,
        ),
      ).map((of): Filter => ({ kind: 'element', attribute: list.reference, of })),
    );
  return tree(fc.oneof(leaf(filterable, 0, text), element));
};

const WRITABLE = [...USER.attributes.values()].filter(
  ({ mutability, name }) => mutability === 'readWrite' && name !== 'schemas',
);

const bodyValue = (attribute: Attribute, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> => {
  if (attribute.type === 'boolean') return fc.boolean();
  if (attribute.type !== 'complex') return text;
  const parts = [...attribute.subAttributes.values()].filter(
    ({ mutability, name }) => mutability === 'readWrite' && name !== 'primary',
  );
  const one = fc.record(
    Object.fromEntries(parts.map((part) => [part.name, bodyValue(part, text)])),
    { requiredKeys: [] },
  );
  if (!attribute.multiValued) return one;
  return fc
    .tuple(fc.array(one, { maxLength: 3 }), fc.integer({ min: 0, max: 5 }))
    .map(([list, primary]) =>
      list
        // An element names its value or its type.
        .map((each) => ('value' in each ? each : { type: 'work', ...each }))
        .map((each, at) => (at === primary ? { ...each, primary: true } : each)),
    );
};

/** Valid bodies of a POST of a user, with strings drawn from `text`. */
export const userBody = (text: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .record(
      Object.fromEntries(WRITABLE.map((attribute) => [attribute.name, bodyValue(attribute, text)])),
      { requiredKeys: ['userName'] },
    )
    .map((body) => ({ ...body }));

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AttributeReference,
  type Filter,
  matchFilter,
} from '../../src/domain/kernel/filter.js';
import { selectMembers } from '../../src/domain/group/member-selection.js';
import { RefusalError } from '../../src/domain/kernel/refusals.js';
import { propertyRuns } from '../support/property-runs.js';

const value: AttributeReference = { path: ['value'], type: 'string', caseExact: true };
const type: AttributeReference = { path: ['type'], type: 'string', caseExact: false };
const display: AttributeReference = { path: ['display'], type: 'string', caseExact: false };

const IDS = ['a', 'b', 'c', 'd'];

const leaf = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom('eq' as const, 'ne' as const),
    attribute: fc.constant(value),
    value: fc.constantFrom(...IDS, null),
  }),
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom('eq' as const, 'ne' as const, 'co' as const),
    attribute: fc.constant(type),
    value: fc.constantFrom('User', 'user', 'Group', 's'),
  }),
  fc.record({ kind: fc.constant('present' as const), attribute: fc.constantFrom(value, type) }),
);

const filter = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
  ),
})).filter;

describe('selectMembers', () => {
  it('selects exactly the members that match the filter', () => {
    fc.assert(
      fc.property(filter, (given) => {
        const { kind, ids } = selectMembers(given);
        for (const id of IDS) {
          const meets = matchFilter(given, { value: id, type: 'User' });
          expect(ids.has(id) === (kind === 'these')).toBe(meets);
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it.each<[string, Filter]>([
    ['a name', { kind: 'compare', operator: 'co', attribute: display, value: 'A' }],
    ['the presence of a name', { kind: 'present', attribute: display }],
    ['a part of an id', { kind: 'compare', operator: 'sw', attribute: value, value: 'a' }],
  ])('refuses %s', (_what, given) => {
    expect(() => selectMembers(given)).toThrow(RefusalError);
  });
});

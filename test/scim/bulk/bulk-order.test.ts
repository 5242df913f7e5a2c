import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bulkOrder } from '../../../src/scim/bulk/bulk-references.js';

const operation = (bulkId: string, ...references: string[]) => ({ bulkId, references });

describe('bulkOrder', () => {
  it('keeps the order of the request if no reference points forward', () => {
    expect(bulkOrder([operation('a'), operation('b', 'a'), operation('c')])).toEqual([0, 1, 2]);
  });

  it('moves referenced operations before the operation that refers to them', () => {
    const operations = [
      operation('x'),
      operation('group', 'u2', 'u1'),
      operation('u1'),
      operation('u2'),
    ];
    expect(bulkOrder(operations)).toEqual([0, 3, 2, 1]);
  });

  it('cuts a cycle where it closes', () => {
    expect(bulkOrder([operation('a', 'b'), operation('b', 'a')])).toEqual([1, 0]);
    expect(bulkOrder([operation('a', 'a')])).toEqual([0]);
  });

  it('ignores a reference to an unknown bulkId', () => {
    expect(bulkOrder([operation('a', 'unknown')])).toEqual([0]);
  });

  it('handles a chain of 10,000 references', () => {
    const chain = Array.from({ length: 10_000 }, (_, at) => operation(`${at}`, `${at + 1}`));
    expect(bulkOrder(chain)[0]).toBe(9_999);
  });

  it('returns every operation once, after the operations it refers to unless there is a cycle', () => {
    const forest = fc.integer({ min: 1, max: 12 }).chain((size) =>
      fc.record({
        shuffled: fc.shuffledSubarray(
          Array.from({ length: size }, (_, at) => at),
          { minLength: size },
        ),
        edges: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 20 }),
      }),
    );
    fc.assert(
      fc.property(forest, ({ shuffled, edges }) => {
        // References point only from larger to smaller numbers, so there is no cycle.
        const operations = shuffled.map((number) =>
          operation(
            `${number}`,
            ...edges.flatMap(([from, to]) => (from === number && to < from ? [`${to}`] : [])),
          ),
        );
        const order = bulkOrder(operations);
        expect([...order].sort((one, other) => one - other)).toEqual([...operations.keys()]);
        const rank = new Map(order.map((at, index) => [operations[at]?.bulkId, index]));
        for (const { bulkId, references } of operations)
          for (const wanted of references)
            expect(rank.get(wanted)).toBeLessThan(rank.get(bulkId) ?? -1);
      }),
    );
  });
});

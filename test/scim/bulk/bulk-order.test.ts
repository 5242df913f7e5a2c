import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bulkOrder } from '../../../src/scim/bulk/bulk-order.js';

const operation = (bulkId: string, ...named: string[]) => ({ bulkId, named });

describe('the order of a Bulk', () => {
  it('is that of the request where nothing refers forward', () => {
    expect(bulkOrder([operation('a'), operation('b', 'a'), operation('c')])).toEqual([0, 1, 2]);
  });

  it('takes what an operation refers to before it, and nothing else', () => {
    const operations = [
      operation('x'),
      operation('group', 'u2', 'u1'),
      operation('u1'),
      operation('u2'),
    ];
    expect(bulkOrder(operations)).toEqual([0, 3, 2, 1]);
  });

  it('cuts a circle where it closes', () => {
    expect(bulkOrder([operation('a', 'b'), operation('b', 'a')])).toEqual([1, 0]);
    expect(bulkOrder([operation('a', 'a')])).toEqual([0]);
  });

  it('passes over a reference that nothing answers', () => {
    expect(bulkOrder([operation('a', 'nobody')])).toEqual([0]);
  });

  it('goes through a chain of ten thousand', () => {
    const chain = Array.from({ length: 10_000 }, (_, at) => operation(`${at}`, `${at + 1}`));
    expect(bulkOrder(chain)[0]).toBe(9_999);
  });

  it('has every operation once, and what it refers to before it where there is no circle', () => {
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
        // Only from larger to smaller numbers: so there is no circle, whatever their places.
        const operations = shuffled.map((number) =>
          operation(
            `${number}`,
            ...edges.flatMap(([from, to]) => (from === number && to < from ? [`${to}`] : [])),
          ),
        );
        const order = bulkOrder(operations);
        expect([...order].sort((one, other) => one - other)).toEqual([...operations.keys()]);
        const turn = new Map(order.map((at, index) => [operations[at]?.bulkId, index]));
        for (const { bulkId, named } of operations)
          for (const wanted of named) expect(turn.get(wanted)).toBeLessThan(turn.get(bulkId) ?? -1);
      }),
    );
  });
});

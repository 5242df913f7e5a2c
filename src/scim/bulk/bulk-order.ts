interface OperationReferences {
  readonly bulkId?: string;
  /** The bulkIds that the operation refers to. */
  readonly references: readonly string[];
}

/**
 * The order in which operations are decided, as indexes in the request: the request's order, except
 * that an operation comes after those it refers to (RFC 7644, 3.7.1: references may point forward
 * and form cycles). A cycle is cut where it closes, which is safe because all ids are known.
 */
export const bulkOrder = (operations: readonly OperationReferences[]): readonly number[] => {
  const indexes = new Map(
    operations.flatMap(({ bulkId }, at) => (bulkId === undefined ? [] : [[bulkId, at] as const])),
  );
  const order: number[] = [];
  const visited = new Set<number>();
  // An explicit stack: a long chain of references must not overflow the call stack.
  for (const start of operations.keys()) {
    const stack = [{ at: start, isDone: false }];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { at, isDone } = top;
      if (isDone) order.push(at);
      else if (!visited.has(at)) {
        visited.add(at);
        stack.push({ at, isDone: true });
        const references = operations[at]?.references ?? [];
        for (const bulkId of references.toReversed()) {
          const index = indexes.get(bulkId);
          if (index !== undefined && !visited.has(index)) stack.push({ at: index, isDone: false });
        }
      }
    }
  }
  return order;
};

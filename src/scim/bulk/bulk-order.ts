interface Referring {
  readonly bulkId?: string;
  /** The bulkIds that it refers to. */
  readonly named: readonly string[];
}

/**
 * The order in which operations are decided, as their places in the request: that of the request,
 * but what an operation refers to comes before it (RFC 7644, 3.7.1: clients may refer forward, and
 * in circles). A circle is cut where it closes: ids are known beforehand, so it harms nobody.
 */
export const bulkOrder = (operations: readonly Referring[]): readonly number[] => {
  const places = new Map(
    operations.flatMap(({ bulkId }, at) => (bulkId === undefined ? [] : [[bulkId, at] as const])),
  );
  const order: number[] = [];
  const begun = new Set<number>();
  // A stack of our own: a chain of a thousand references must not end the process.
  for (const start of operations.keys()) {
    const stack = [{ at: start, isDone: false }];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { at, isDone } = top;
      if (isDone) order.push(at);
      else if (!begun.has(at)) {
        begun.add(at);
        stack.push({ at, isDone: true });
        const wanted = operations[at]?.named ?? [];
        for (const bulkId of wanted.toReversed()) {
          const place = places.get(bulkId);
          if (place !== undefined && !begun.has(place)) stack.push({ at: place, isDone: false });
        }
      }
    }
  }
  return order;
};

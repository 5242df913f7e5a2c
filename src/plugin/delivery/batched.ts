/**
 * Collects the calls of one turn of the event loop into one batch. `run`
 * must settle everything it is given itself; it never rejects.
 */
export const batched = <Item>(
  run: (items: readonly Item[]) => Promise<void>,
): ((item: Item) => void) => {
  let items: Item[] = [];
  const flush = (): void => {
    const batch = items;
    items = [];
    void run(batch);
  };
  return (item) => {
    if (items.length === 0) queueMicrotask(flush);
    items.push(item);
  };
};

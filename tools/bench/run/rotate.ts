/** Starts each round with another item: A B C, B C A, C A B. */
export const rotate = <Item>(items: readonly Item[], round: number): readonly Item[] => {
  const first = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
};

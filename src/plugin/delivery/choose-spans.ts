/**
 * Keys whose events are written as one span each, so that a batch adds no more rows to its
 * transaction than allowed (pipeline-rules.md 1 and 2): those with the most events, until the rest
 * fits. `counts`: number of events by key. A single event is always a row.
 */
export const chooseSpans = <Key>(
  counts: ReadonlyMap<Key, number>,
  maxRows: number,
): ReadonlySet<Key> => {
  const chosen = new Set<Key>();
  let rows = [...counts.values()].reduce((sum, events) => sum + events, 0);
  if (rows <= maxRows) return chosen;
  for (const [key, events] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (rows <= maxRows || events <= 1) break;
    chosen.add(key);
    rows -= events - 1;
  }
  return chosen;
};

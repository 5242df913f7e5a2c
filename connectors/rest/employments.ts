/** First and last day, ISO dates; null: not known, or without end. */
export interface Days {
  readonly start: string | null;
  readonly end: string | null;
}

/**
 * The first of the employments, and those that overlap it or follow it on the next day, so that neither
 * another contract nor the end of one of two contracts is an exit.
 */
export const withoutGaps = <Employment>(
  employments: readonly Employment[],
  daysOf: (employment: Employment) => Days,
): Days & { readonly joined: readonly Employment[] } => {
  const inOrder = employments
    .map((employment) => ({ employment, ...daysOf(employment) }))
    .toSorted((a, b) => compare(a.start ?? '', b.start ?? ''));
  const [first] = inOrder;
  if (!first) return { joined: [], start: null, end: null };
  const joined: Employment[] = [];
  let { end } = first;
  for (const next of inOrder) {
    if (end !== null && (next.start ?? '') > dayAfter(end)) break;
    joined.push(next.employment);
    end = end === null || next.end === null ? null : next.end > end ? next.end : end;
  }
  return { joined, start: first.start, end };
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const dayAfter = (date: string): string =>
  new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);

/** Where the next page of a list begins; undefined after the last one. */
export const nextPage = (
  page: Readonly<Record<string, unknown>>,
  count: number,
): Readonly<Record<string, unknown>> | undefined => {
  const { total, offset, next, next_after: after, has_more: hasMore } = page;
  const { totalResults, startIndex, nextCursor } = page;
  if (typeof nextCursor === 'string') return { cursor: nextCursor };
  if (typeof startIndex === 'number' && typeof totalResults === 'number')
    return count > 0 && startIndex + count <= totalResults
      ? { startIndex: startIndex + count }
      : undefined;
  if (typeof after === 'number') return hasMore === true ? { after } : undefined;
  if (typeof total === 'number' && typeof offset === 'number')
    return count > 0 && offset + count < total ? { offset: offset + count } : undefined;
  // Logs continue with `cursor`, lists of connectors with `after`.
  if (typeof next === 'string')
    return 'commands' in page || 'requests' in page || 'entries' in page
      ? { cursor: next }
      : { after: next };
  return undefined;
};

/** The items of a page: its one array, apart from the URNs of SCIM. */
export const itemsOf = (page: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const [items] = Object.entries(page).flatMap(([name, value]) =>
    name !== 'schemas' && Array.isArray(value) ? [value as readonly unknown[]] : [],
  );
  return items ?? [];
};

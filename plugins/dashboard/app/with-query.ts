type Query = Readonly<Record<string, unknown>>;

/** What is left of a query without its empty values. */
export const withoutEmpty = (query: Query): Query =>
  Object.fromEntries(
    Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );

/** An address with its parameters; empty ones are left out. */
export const withQuery = (path: string, query: Query = {}): string => {
  const text = new URLSearchParams(
    Object.entries(withoutEmpty(query)).map(([name, value]) => [name, String(value)]),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
};

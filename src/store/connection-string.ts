/** The addresses of a connection string: the part that may be shown. */
export const hostsOf = (uri: string): string => {
  const authority = uri.replace(/^[^:]*:\/\//, '').replace(/\?.*$/s, '');
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).replace(/\/.*$/s, '');
  return hosts || 'the configured address';
};

/** The connection string without these parameters, in any letter case. */
export const withoutParameters = (uri: string, names: readonly string[]): string => {
  const dropped = new Set(names.map((name) => name.toLowerCase()));
  const [base = '', query = ''] = uri.split('?', 2);
  const isKept = (pair: string): boolean =>
    !dropped.has((pair.split('=', 1)[0] ?? '').toLowerCase());
  return `${base}?${query.split('&').filter(isKept).join('&')}`;
};

/**
 * Why a connection failed. The driver repeats a string that it cannot parse, including the
 * password.
 */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return 'for an unknown reason';
  return cause.name === 'MongoParseError' ? 'the connection string is malformed' : cause.message;
};

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'must not be read by this account',
  EISDIR: 'is a folder',
};

/** Why a file cannot be read, for people: `the file is not there (ENOENT)`. */
export const whyUnreadable = (what: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return `${what} ${REASONS[code] ?? 'cannot be read'} (${code})`;
};

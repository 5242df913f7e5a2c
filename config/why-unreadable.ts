const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this account',
  EISDIR: 'is a folder',
};

/** Describes why a file cannot be read: `the file does not exist (ENOENT)`. */
export const describeReadError = (what: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return `${what} ${REASONS[code] ?? 'cannot be read'} (${code})`;
};

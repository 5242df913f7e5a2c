/** An error's own words in one line, without the full stop. */
export const reasonOf = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/[.:]$/, '');
};

/** `ENOENT`; of an error that has no code, its words. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);

/** The first line of an error's message, without a full stop. */
export const reasonOf = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/[.:]$/, '');
};

/** `ENOENT`; the message if the error has no code. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);

import { CheckSkipped } from './check-result.js';

/** The first line of an error's message, without a full stop. */
export const reasonOf = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/[.:]$/, '');
};

/** `ENOENT`; the message if the error has no code. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);

/** Throws a CheckSkipped for a path that this account cannot access. */
export const inaccessible = (path: string, error: unknown): never => {
  throw new CheckSkipped(`This account cannot access ${path} (${codeOf(error)}).`);
};

/** The path, or its folder, does not exist. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

import { codeOf } from './reason-of.js';
import { CheckSkipped } from './check-result.js';

/** Throws a CheckSkipped for a path that this account cannot access. */
export const inaccessible = (path: string, error: unknown): never => {
  throw new CheckSkipped(`This account cannot access ${path} (${codeOf(error)}).`);
};

/** The path, or its folder, does not exist. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

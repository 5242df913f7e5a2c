import { codeOf } from './reason-of.js';
import { NotCheckable } from './verdict.js';

/** Throws what to say of something that this account may not look at. */
export const notOurs = (path: string, error: unknown): never => {
  throw new NotCheckable(`${path} cannot be looked at by this account (${codeOf(error)}).`);
};

/** There is nothing of this name, or not even the folder that it would be in. */
export const isAbsence = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

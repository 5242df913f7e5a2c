/** Versions of a resource; '*' for any. */
export type Versions = readonly number[] | '*';

/**
 * A precondition (RFC 9110, 13.1.1 and 13.1.2): the versions one of which the resource must have, or
 * those of which it must have none. A resource of another version is refused with
 * PRECONDITION_FAILED.
 */
export type IfMatch = Versions | { readonly noneOf: readonly number[] };

/** Whether a resource of this version may be changed; without a precondition any may. */
export const meets = (version: number, asked: IfMatch | undefined): boolean => {
  if (asked === undefined || asked === '*') return true;
  return 'noneOf' in asked ? !asked.noneOf.includes(version) : asked.includes(version);
};

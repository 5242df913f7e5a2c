import { type Refusal, refuse } from './refusals.js';

/** Versions of a resource; '*' for any. */
export type Versions = readonly number[] | '*';

/** A precondition (RFC 9110, 13.1.1 and 13.1.2): acceptable versions, or unacceptable ones. */
export type IfMatch = Versions | { readonly noneOf: readonly number[] };

/** Whether the version meets the precondition, if there is one. */
export const meetsPrecondition = (version: number, ifMatch: IfMatch | undefined): boolean => {
  if (ifMatch === undefined || ifMatch === '*') return true;
  return 'noneOf' in ifMatch ? !ifMatch.noneOf.includes(version) : ifMatch.includes(version);
};

/** The refusal of a change that was meant for another version (RFC 9110, 13.1). */
export const requireVersion = (
  { version }: { readonly version: number },
  ifMatch: IfMatch | undefined,
): Refusal | undefined =>
  meetsPrecondition(version, ifMatch)
    ? undefined
    : refuse(
        'PRECONDITION_FAILED',
        'The resource has changed since you read it. Read it again and retry.',
      );

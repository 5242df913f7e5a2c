import { raise, type RefusalDetail, type ScimType } from '../domain/refusals.js';

/** Refusals of RFC 7644, table 9, each told in a sentence of its own. */
export const refuseSyntax = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidSyntax' });

export const refusePath = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidPath' });

export const refuseMutability = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'mutability' });

export const refuseTarget = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'noTarget' });

/** More faults than so many tell nobody more. */
const MOST_TOLD = 100;

/** Refuses values that do not fit their attributes: the first in the message, the rest in `details`. */
export const refuseValues = (
  details: readonly RefusalDetail[],
  scimType: ScimType = 'invalidValue',
): never => {
  const [first] = details;
  const told = Math.min(details.length, MOST_TOLD);
  const more = told > 1 ? ` ${told - 1} more in details.` : '';
  return raise('INVALID_REQUEST', `${first?.path ?? ''} ${first?.message ?? ''}.${more}`, {
    scimType,
    details: details.slice(0, MOST_TOLD),
  });
};

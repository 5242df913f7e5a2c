import { raise, type RefusalDetail, type ScimType } from './refusals.js';

/** Refusals with a scimType of RFC 7644, table 9. */
export const refuseSyntax = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidSyntax' });

export const refusePath = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'invalidPath' });

export const refuseMutability = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'mutability' });

export const refuseTarget = (message: string): never =>
  raise('INVALID_REQUEST', message, { scimType: 'noTarget' });

/** Maximum number of entries in `details`. */
const MAX_DETAILS = 100;

/**
 * Errors repeated in the message: not every client shows `details` (decisions.md 8, strict_errors).
 */
const MAX_IN_MESSAGE = 3;

/** Refuses invalid values: the first few in the message, all of them in `details`. */
export const refuseValues = (
  details: readonly RefusalDetail[],
  scimType: ScimType = 'invalidValue',
): never => {
  const shown = details.slice(0, MAX_IN_MESSAGE).map(({ path, message }) => `${path} ${message}`);
  const rest = details.length - shown.length;
  const more = rest > 0 ? `; and ${rest} more` : '';
  return raise('INVALID_REQUEST', `${shown.join('; ')}${more}.`, {
    scimType,
    details: details.slice(0, MAX_DETAILS),
  });
};

/** Refuses the removal of a required attribute (RFC 7644, 3.5.2.2). */
export const refuseRemoval = (path: string): never =>
  refuseValues([{ path, message: 'is required and cannot be removed' }]);

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

/** As many as a sentence can hold: not every client shows `details` (decisions.md 8, strict_errors). */
const MOST_SAID = 3;

/** Refuses values that do not fit their attributes: the first few in the message, all in `details`. */
export const refuseValues = (
  details: readonly RefusalDetail[],
  scimType: ScimType = 'invalidValue',
): never => {
  const said = details.slice(0, MOST_SAID).map(({ path, message }) => `${path} ${message}`);
  const rest = details.length - said.length;
  const more = rest > 0 ? `; and ${rest} more` : '';
  return raise('INVALID_REQUEST', `${said.join('; ')}${more}.`, {
    scimType,
    details: details.slice(0, MOST_TOLD),
  });
};

import type { BulkOutcome } from '../../domain/commands.js';
import type { JsonObject } from '../../domain/json.js';
import { scimErrorBody, scimStatusOf } from '../error-body.js';
import { MESSAGE_URNS } from '../scimmy.js';
import type { Prepared } from './prepare-bulk.js';

interface Addressing {
  /** The tenant's canonical SCIM base. */
  readonly base: string;
  readonly requestId: string;
}

const STATUS: Readonly<Record<string, number>> = { POST: 201, PUT: 200, DELETE: 204 };

const statusOf = ({ given: { method }, type }: Prepared): number =>
  STATUS[method] ?? type?.patchStatus ?? 200;

/** Where the resource is; an operation that made none has none (RFC 7644, 3.7.3). */
const locationOf = (
  { given: { method }, type, resourceId }: Prepared,
  outcome: NonNullable<BulkOutcome>,
  base: string,
): JsonObject => {
  const isMade = method !== 'POST' || !('refusal' in outcome);
  return type && resourceId !== undefined && isMade
    ? { location: `${base}${type.endpoint}/${resourceId}` }
    : {};
};

const resultOf = (
  prepared: Prepared,
  outcome: NonNullable<BulkOutcome>,
  { base, requestId }: Addressing,
): JsonObject => {
  const { given } = prepared;
  const about = {
    method: given.method,
    ...(given.bulkId !== undefined && { bulkId: given.bulkId }),
    ...locationOf(prepared, outcome, base),
  };
  if ('refusal' in outcome)
    return {
      ...about,
      status: String(scimStatusOf(outcome.refusal)),
      response: scimErrorBody(outcome.refusal, requestId),
    };
  return {
    ...about,
    ...(outcome.result && { version: `W/"${outcome.result.version}"` }),
    status: String(statusOf(prepared)),
  };
};

/**
 * The answer to a Bulk (RFC 7644, 3.7.3), in the order of the request (decisions.md 8); operations
 * that were left undone after too many errors are not in it.
 */
export const bulkResponse = (
  prepared: readonly Prepared[],
  outcomes: readonly BulkOutcome[],
  addressing: Addressing,
): JsonObject => ({
  schemas: [MESSAGE_URNS.bulkResponse],
  Operations: prepared.flatMap((one, at) => {
    const outcome = outcomes[at];
    return outcome ? [resultOf(one, outcome, addressing)] : [];
  }),
});

import type { BulkOutcome } from '../../domain/commands.js';
import type { JsonObject } from '../../domain/json.js';
import type { Refusal } from '../../domain/refusals.js';
import { type ErrorForm, scimErrorBody, scimStatusOf } from '../error-body.js';
import { MESSAGE_URNS } from '../scimmy.js';
import type { Prepared } from './prepare-bulk.js';

interface Addressing extends ErrorForm {
  /** The tenant's canonical SCIM base. */
  readonly base: string;
}

/** What a result needs to know besides its operation. */
interface Answering extends Addressing {
  readonly unmade: Unmade;
}

/** Ids of resources that did not come to be after all, and what the client calls these. */
type Unmade = ReadonlyMap<string, string>;

const unmadeIn = (prepared: readonly Prepared[], outcomes: readonly BulkOutcome[]): Unmade =>
  new Map(
    prepared.flatMap(({ given: { bulkId = '' }, resourceId, isCreation }, at) => {
      const outcome = outcomes[at];
      const isMade = outcome && !('refusal' in outcome);
      return isCreation && !isMade && resourceId !== undefined
        ? [[resourceId, `bulkId:${bulkId}`] as const]
        : [];
    }),
  );

const ID = /[0-9a-f-]{36}/g;

/** Ids were made up at the edge: whoever referred to one that nobody has knows its bulkId alone. */
const inClientsWords = (refusal: Refusal, unmade: Unmade): Refusal => {
  if (unmade.size === 0) return refusal;
  const reword = (text: string): string => text.replace(ID, (id) => unmade.get(id) ?? id);
  const details = refusal.details?.map((each) => ({ ...each, message: reword(each.message) }));
  return { ...refusal, message: reword(refusal.message), ...(details && { details }) };
};

const STATUS: Readonly<Record<string, number>> = { POST: 201, PUT: 200, DELETE: 204 };

const statusOf = ({ given: { method }, type }: Prepared): number =>
  STATUS[method] ?? type?.patchStatus ?? 200;

/** Where the resource is; one that was not made is nowhere (RFC 7644, 3.7.3). */
const locationOf = (
  { given: { method }, type, resourceId }: Prepared,
  outcome: NonNullable<BulkOutcome>,
  { base, unmade }: Answering,
): JsonObject => {
  const isMade = method !== 'POST' || !('refusal' in outcome);
  return type && resourceId !== undefined && isMade && !unmade.has(resourceId)
    ? { location: `${base}${type.endpoint}/${resourceId}` }
    : {};
};

const resultOf = (
  prepared: Prepared,
  outcome: NonNullable<BulkOutcome>,
  answering: Answering,
): JsonObject => {
  const { given } = prepared;
  const about = {
    method: given.method,
    ...(given.bulkId !== undefined && { bulkId: given.bulkId }),
    ...locationOf(prepared, outcome, answering),
  };
  if ('refusal' in outcome)
    return {
      ...about,
      status: String(scimStatusOf(outcome.refusal)),
      response: scimErrorBody(inClientsWords(outcome.refusal, answering.unmade), answering),
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
): JsonObject => {
  const answering = { ...addressing, unmade: unmadeIn(prepared, outcomes) };
  return {
    schemas: [MESSAGE_URNS.bulkResponse],
    Operations: prepared.flatMap((one, at) => {
      const outcome = outcomes[at];
      return outcome ? [resultOf(one, outcome, answering)] : [];
    }),
  };
};

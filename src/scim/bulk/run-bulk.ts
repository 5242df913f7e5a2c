import type { BulkOutcome } from '../../domain/commands.js';
import { type JsonObject, isJsonObject } from '../../domain/kernel/json.js';
import { type Refusal, refuseSyntax } from '../../domain/kernel/refusals.js';
import { httpStatusOf } from '../../routes/responses.js';
import { type ErrorForm, scimErrorBody } from '../responses.js';
import { MESSAGE_URNS } from '../scimmy.js';
import { type PreparedOperation, prepareBulk, type PreparedBulk } from './prepare-bulk.js';
import { type ScimRequest, submitCommand } from '../scim-request.js';
import { readBulk } from './read-bulk.js';

interface BulkResponseContext extends ErrorForm {
  /** The tenant's canonical SCIM base URL. */
  readonly base: string;
}

interface ResultContext extends BulkResponseContext {
  readonly notCreated: NotCreated;
}

/** Ids of resources that were not created, with the client's references to them. */
type NotCreated = ReadonlyMap<string, string>;

const findNotCreated = (
  prepared: readonly PreparedOperation[],
  outcomes: readonly BulkOutcome[],
): NotCreated =>
  new Map(
    prepared.flatMap(({ given: { bulkId = '' }, resourceId, isCreation }, at) => {
      const outcome = outcomes[at];
      const exists = outcome && !('refusal' in outcome);
      return isCreation && !exists && resourceId !== undefined
        ? [[resourceId, `bulkId:${bulkId}`] as const]
        : [];
    }),
  );

const ID = /[0-9a-f-]{36}/g;

/** The client never saw the id of a resource that was not created, so errors use its bulkId. */
const withBulkIds = (refusal: Refusal, notCreated: NotCreated): Refusal => {
  if (notCreated.size === 0) return refusal;
  const reword = (text: string): string => text.replace(ID, (id) => notCreated.get(id) ?? id);
  const details = refusal.details?.map((each) => ({ ...each, message: reword(each.message) }));
  return { ...refusal, message: reword(refusal.message), ...(details && { details }) };
};

const STATUS: Readonly<Record<string, number>> = { POST: 201, PUT: 200, DELETE: 204 };

const statusOf = ({ given: { method }, type }: PreparedOperation): number =>
  STATUS[method] ?? type?.patchStatus ?? 200;

/** The resource's URL; absent if it was not created (RFC 7644, 3.7.3). */
const locationOf = (
  { given: { method }, type, resourceId }: PreparedOperation,
  outcome: NonNullable<BulkOutcome>,
  { base, notCreated }: ResultContext,
): JsonObject => {
  const exists = method !== 'POST' || !('refusal' in outcome);
  if (!type || resourceId === undefined || !exists || notCreated.has(resourceId)) return {};
  // A POST may have reactivated a user, who has another id.
  const id = method === 'POST' && 'result' in outcome ? outcome.result?.id : undefined;
  return { location: `${base}${type.endpoint}/${id ?? resourceId}` };
};

const resultOf = (
  prepared: PreparedOperation,
  outcome: NonNullable<BulkOutcome>,
  context: ResultContext,
): JsonObject => {
  const { given } = prepared;
  const about = {
    method: given.method,
    ...(given.bulkId !== undefined && { bulkId: given.bulkId }),
    ...locationOf(prepared, outcome, context),
  };
  if ('refusal' in outcome)
    return {
      ...about,
      status: String(httpStatusOf(outcome.refusal)),
      response: scimErrorBody(withBulkIds(outcome.refusal, context.notCreated), context),
    };
  return {
    ...about,
    ...(outcome.result && { version: `W/"${outcome.result.version}"` }),
    status: String(statusOf(prepared)),
  };
};

/**
 * The response to a Bulk request (RFC 7644, 3.7.3), in the order of the request (decisions.md 8).
 * Operations that were skipped because of `failOnErrors` are omitted.
 *
 * @internal
 */
export const bulkResponse = (
  prepared: readonly PreparedOperation[],
  outcomes: readonly BulkOutcome[],
  context: BulkResponseContext,
): JsonObject => {
  const resultContext = { ...context, notCreated: findNotCreated(prepared, outcomes) };
  return {
    schemas: [MESSAGE_URNS.bulkResponse],
    Operations: prepared.flatMap((operation, at) => {
      const outcome = outcomes[at];
      return outcome ? [resultOf(operation, outcome, resultContext)] : [];
    }),
  };
};

/** Sorts outcomes from the order in which they were decided into the request's order. */
const inRequestOrder = (
  { requestIndexes }: PreparedBulk,
  outcomes: readonly BulkOutcome[],
): readonly BulkOutcome[] => {
  const ordered: BulkOutcome[] = requestIndexes.map(() => null);
  for (const [at, outcome] of outcomes.entries()) {
    const index = requestIndexes[at];
    if (index !== undefined) ordered[index] = outcome;
  }
  return ordered;
};

/**
 * Runs a Bulk request (RFC 7644, 3.7) as one command: its operations are decided in order and
 * committed together, so that `failOnErrors` is exact and every bulkId can be resolved. Throws
 * RefusalError if the request as a whole is refused.
 */
export const runBulk = async (request: ScimRequest, maxOperations: number): Promise<JsonObject> => {
  const { caller, requestId, base, body } = request;
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const bulk = await prepareBulk(readBulk(body, maxOperations), caller.tenant);
  const outcomes = await submitCommand<'bulk'>(request, bulk.command);
  const refused = outcomes.find((outcome) => outcome && 'refusal' in outcome);
  if (refused && 'refusal' in refused) request.onPartRefused?.(refused.refusal);
  return bulkResponse(bulk.prepared, inRequestOrder(bulk, outcomes), {
    base,
    requestId,
    isStrict: caller.tenant.scim.strictErrors,
  });
};

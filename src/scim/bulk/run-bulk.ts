import type { BulkOutcome } from '../../domain/commands.js';
import { isJsonObject, type JsonObject } from '../../domain/kernel/json.js';
import { refuseSyntax } from '../../domain/kernel/refusals.js';
import { type ScimRequest, submitCommand } from '../scim-request.js';
import { bulkResponse } from './bulk-response.js';
import { prepareBulk, type PreparedBulk } from './prepare-bulk.js';
import { readBulk } from './read-bulk.js';

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
  const bulk = await prepareBulk(readBulk(body, maxOperations), caller.tenant.scim);
  const outcomes = await submitCommand<'bulk'>(request, bulk.command);
  return bulkResponse(bulk.prepared, inRequestOrder(bulk, outcomes), {
    base,
    requestId,
    isStrict: caller.tenant.scim.strictErrors,
  });
};

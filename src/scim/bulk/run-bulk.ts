import type { BulkOutcome } from '../../domain/commands.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { resultOf } from '../../pipeline/submit.js';
import { refuseSyntax } from '../refuse-input.js';
import type { ScimRequest } from '../scim-request.js';
import { bulkResponse } from './bulk-response.js';
import { prepareBulk, type PreparedBulk } from './prepare-bulk.js';
import { readBulk } from './read-bulk.js';

/** From the order in which they were decided back to that of the request. */
const inRequestOrder = (
  { places }: PreparedBulk,
  outcomes: readonly BulkOutcome[],
): readonly BulkOutcome[] => {
  const ordered: BulkOutcome[] = places.map(() => null);
  for (const [at, outcome] of outcomes.entries()) {
    const place = places[at];
    if (place !== undefined) ordered[place] = outcome;
  }
  return ordered;
};

/**
 * A Bulk request (RFC 7644, 3.7): one ordered batch of the tenant's lane, decided in memory and
 * committed together, so that `failOnErrors` is exact and any bulkId resolves. Throws RefusalError
 * where the request as a whole cannot be taken.
 */
export const runBulk = async (
  { caller, requestId, submit, base, bytes }: ScimRequest,
  body: unknown,
  mostOperations: number,
): Promise<JsonObject> => {
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const bulk = await prepareBulk(readBulk(body, mostOperations), caller.tenant.scim);
  const outcomes = resultOf<'bulk'>(
    await submit<'bulk'>({
      tenantId: caller.tenant.id,
      command: bulk.command,
      actor: caller.actor,
      source: 'scim',
      requestId,
      ...(bytes !== undefined && { bytes }),
    }),
  );
  return bulkResponse(bulk.prepared, inRequestOrder(bulk, outcomes), {
    base,
    requestId,
    isStrict: caller.tenant.scim.strictErrors,
  });
};

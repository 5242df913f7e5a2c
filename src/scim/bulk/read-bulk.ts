import { type IfMatch, raise, refuseSyntax, refuseValues } from '../../domain/kernel/refusals.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';
import { pickIgnoringCase } from '../read-value.js';

/** An operation as sent. Its data is read later, because errors in it fail only this operation. */
export interface RequestOperation {
  /** In upper case, as repeated in the response. */
  readonly method: string;
  readonly bulkId?: string;
  readonly path: string;
  readonly data: JsonValue | undefined;
  readonly ifMatch?: IfMatch;
}

export interface BulkRequest {
  /** The number of errors after which the remaining operations are skipped; null for no limit. */
  readonly failOnErrors: number | null;
  readonly operations: readonly RequestOperation[];
}

const MAX_BULK_ID_LENGTH = 256;

/** Null means "no value" (RFC 7643, 2.5): some clients send every member. */
const isGiven = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

const readFailOnErrors = (given: JsonValue | undefined): number | null => {
  if (!isGiven(given)) return null;
  return typeof given === 'number' && Number.isSafeInteger(given) && given >= 1
    ? given
    : refuseValues([{ path: 'failOnErrors', message: 'must be an integer of at least 1' }]);
};

/** `version` has the meaning of If-Match (RFC 7644, 3.7). */
const readVersion = (given: JsonValue | undefined): { readonly ifMatch?: IfMatch } => {
  if (typeof given !== 'string' || given === '') return {};
  const [, version] = /^(?:W\/)?"?([1-9]\d{0,14})"?$/.exec(given) ?? [];
  return { ifMatch: version === undefined ? [] : [Number(version)] };
};

const NAMES = ['method', 'path', 'bulkId', 'data', 'version'] as const;

const readOperation = (given: JsonValue, at: number): RequestOperation => {
  const operationPath = `Operations[${at}]`;
  if (!isJsonObject(given))
    return refuseValues([{ path: operationPath, message: 'must be an object' }]);
  const { method, path, bulkId, data, version } = pickIgnoringCase(
    given,
    NAMES,
    `${operationPath}.`,
  );
  if (typeof method !== 'string' || typeof path !== 'string')
    return refuseValues([{ path: operationPath, message: 'must have a method and a path' }]);
  if (isGiven(bulkId) && (typeof bulkId !== 'string' || bulkId.length > MAX_BULK_ID_LENGTH))
    return refuseValues([
      {
        path: `${operationPath}.bulkId`,
        message: `must be a string of at most ${MAX_BULK_ID_LENGTH} characters`,
      },
    ]);
  return {
    method: method.toUpperCase(),
    path,
    data,
    ...(typeof bulkId === 'string' && { bulkId }),
    ...readVersion(version),
  };
};

const refuseDuplicateBulkIds = (operations: readonly RequestOperation[]): void => {
  const seen = new Set<string>();
  for (const [at, { bulkId }] of operations.entries()) {
    if (bulkId === undefined) continue;
    if (seen.has(bulkId))
      refuseValues([{ path: `Operations[${at}].bulkId`, message: 'appears twice' }]);
    seen.add(bulkId);
  }
};

/**
 * Reads the envelope of a Bulk request (RFC 7644, 3.7). An error here refuses the whole request:
 * 400, or 413 tooMany if it has too many operations.
 */
export const readBulk = (body: JsonObject, maxOperations: number): BulkRequest => {
  const { Operations: given, failOnErrors } = pickIgnoringCase(body, [
    'Operations',
    'failOnErrors',
  ]);
  if (!Array.isArray(given) || given.length === 0)
    return refuseSyntax('Operations must be a list with at least one operation.');
  if (given.length > maxOperations)
    return raise(
      'PAYLOAD_TOO_LARGE',
      `A Bulk request must have at most ${maxOperations} operations. Send the rest in another request.`,
      { scimType: 'tooMany' },
    );
  const operations = (given as readonly JsonValue[]).map(readOperation);
  refuseDuplicateBulkIds(operations);
  return { failOnErrors: readFailOnErrors(failOnErrors), operations };
};

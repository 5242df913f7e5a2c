import type { IfMatch } from '../../domain/precondition.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import { inAnyCase } from '../in-any-case.js';
import { refuseSyntax, refuseValues } from '../refuse-input.js';

export const BULK_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type BulkMethod = (typeof BULK_METHODS)[number];

/** One operation as it was sent; what is in it is read later, for it fails alone. */
export interface GivenOperation {
  /** As the answer repeats it; upper case. */
  readonly method: string;
  readonly bulkId?: string;
  readonly path: string;
  readonly data: JsonValue | undefined;
  readonly ifMatch?: IfMatch;
}

export interface BulkRequest {
  /** After so many errors the rest is left undone; null: never. */
  readonly failOnErrors: number | null;
  readonly operations: readonly GivenOperation[];
}

const LONGEST_BULK_ID = 256;

/** Null is no value (RFC 7643, 2.5): clients that name every member write it. */
const isGiven = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

const readFailOnErrors = (given: JsonValue | undefined): number | null => {
  if (!isGiven(given)) return null;
  return typeof given === 'number' && Number.isSafeInteger(given) && given >= 1
    ? given
    : refuseValues([{ path: 'failOnErrors', message: 'must be a whole number from 1' }]);
};

/** RFC 7644, 3.7: `version` is the precondition of If-Match. */
const readVersion = (given: JsonValue | undefined): { readonly ifMatch?: IfMatch } => {
  if (typeof given !== 'string' || given === '') return {};
  const [, version] = /^(?:W\/)?"?([1-9]\d{0,14})"?$/.exec(given) ?? [];
  return { ifMatch: version === undefined ? [] : [Number(version)] };
};

const NAMES = ['method', 'path', 'bulkId', 'data', 'version'] as const;

const readOperation = (given: JsonValue, at: number): GivenOperation => {
  const place = `Operations[${at}]`;
  if (!isJsonObject(given)) return refuseValues([{ path: place, message: 'must be an object' }]);
  const { method, path, bulkId, data, version } = inAnyCase(given, NAMES, `${place}.`);
  if (typeof method !== 'string' || typeof path !== 'string')
    return refuseValues([{ path: place, message: 'needs a method and a path' }]);
  if (isGiven(bulkId) && (typeof bulkId !== 'string' || bulkId.length > LONGEST_BULK_ID))
    return refuseValues([{ path: `${place}.bulkId`, message: 'must be a short text' }]);
  return {
    method: method.toUpperCase(),
    path,
    data,
    ...(typeof bulkId === 'string' && { bulkId }),
    ...readVersion(version),
  };
};

const refuseTwice = (operations: readonly GivenOperation[]): void => {
  const seen = new Set<string>();
  for (const [at, { bulkId }] of operations.entries()) {
    if (bulkId === undefined) continue;
    if (seen.has(bulkId))
      refuseValues([{ path: `Operations[${at}].bulkId`, message: 'is given twice' }]);
    seen.add(bulkId);
  }
};

/**
 * The envelope of a Bulk request (RFC 7644, 3.7). What is wrong here refuses the whole: 400, or 413
 * tooMany where the number of operations is what is over.
 */
export const readBulk = (body: JsonObject, mostOperations: number): BulkRequest => {
  const { Operations: given, failOnErrors } = inAnyCase(body, ['Operations', 'failOnErrors']);
  if (!Array.isArray(given) || given.length === 0)
    return refuseSyntax('The body needs a list of Operations with at least one in it.');
  if (given.length > mostOperations)
    return raise(
      'PAYLOAD_TOO_LARGE',
      `A Bulk request may hold ${mostOperations} operations at most. Send the rest in another one.`,
      { scimType: 'tooMany' },
    );
  const operations = (given as readonly JsonValue[]).map(readOperation);
  refuseTwice(operations);
  return { failOnErrors: readFailOnErrors(failOnErrors), operations };
};

import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import {
  refuseSyntax,
  refuseValues,
  raise,
  type RefusalDetail,
} from '../domain/kernel/refusals.js';
import type { ProfileChange } from '../domain/user/profile-changes.js';
import type { ResourceSchema } from './attributes.js';
import { changeOf, type PatchOperation, type PatchStep, stepsOf, weightOf } from './patch-steps.js';
import { pickIgnoringCase } from './read-value.js';
import { checkPatchForm, MESSAGE_URNS } from './scimmy.js';
import { USER } from './schemas.js';

const MAX_OPERATIONS = 1000;

const refuseTooMany = (): never =>
  raise(
    'PAYLOAD_TOO_LARGE',
    `A PATCH must have at most ${MAX_OPERATIONS} operations, values and conditions.`,
    {
      scimType: 'tooMany',
    },
  );

/**
 * Treats a null or empty path as absent; `op` and names are case-insensitive (Entra, authentik).
 */
const normaliseOperation = (operation: JsonValue, index: number): JsonObject => {
  // scimmy's PatchOp throws a TypeError on null.
  if (!isJsonObject(operation)) {
    return refuseValues([{ path: `Operations[${index}]`, message: 'must be an object' }]);
  }
  const names = ['op', 'path', 'value'] as const;
  const { op, path, value } = pickIgnoringCase(operation, names, `Operations[${index}].`);
  return {
    ...(op !== undefined && { op: typeof op === 'string' ? op.toLowerCase() : op }),
    ...(path === null || path === '' || path === undefined ? {} : { path }),
    ...(value !== undefined && { value }),
  };
};

const PATCH_URN = MESSAGE_URNS.patch.toLowerCase();

const isPatchUrn = (value: JsonValue): boolean =>
  typeof value === 'string' && value.toLowerCase() === PATCH_URN;

/** Whether the body has the PatchOp schema but no operations (decisions.md 3). */
const isEmptyPatch = (schemas: JsonValue | undefined, given: JsonValue | undefined): boolean =>
  (given === undefined || given === null) &&
  Array.isArray(schemas) &&
  (schemas as JsonValue[]).some(isPatchUrn);

/**
 * The well-formed operations of a body. Accepts missing and additional `schemas`, because IdPs send
 * both, and an empty list of operations, as Entra's validator expects (facts on identity providers,
 * 11), although the RFC requires one.
 */
const operationsIn = (body: unknown): readonly PatchOperation[] => {
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const { Operations: given, schemas } = pickIgnoringCase(body, ['Operations', 'schemas']);
  if (isEmptyPatch(schemas, given)) return [];
  if (Array.isArray(given) && given.length === 0) return [];
  if (Array.isArray(given) && given.length > MAX_OPERATIONS) return refuseTooMany();
  const Operations = Array.isArray(given) ? (given as JsonValue[]).map(normaliseOperation) : given;
  checkPatchForm({
    schemas: [MESSAGE_URNS.patch],
    ...(Operations === undefined ? {} : { Operations }),
  });
  return Operations as unknown as readonly PatchOperation[];
};

/** scimmy's PatchOp accepts a replace without a value, which would clear the attribute. */
const requireValue = ({ op, path, value }: PatchOperation): void => {
  if (op === 'replace' && value === undefined) {
    refuseValues([
      { path: path ?? 'value', message: 'requires a value; null removes the attribute' },
    ]);
  }
};

/** Limits operations with many values, attributes or conditions. */
const checkWeight = (steps: readonly PatchStep[]): void => {
  const weight = steps.reduce((sum, step) => sum + weightOf(step), 0);
  if (weight > MAX_OPERATIONS) refuseTooMany();
};

const isPathless = ({ path }: PatchOperation): boolean => path === undefined;

/**
 * Limits attribute names before any is looked up: looking up 100,000 unknown names would block the
 * event loop for half a second.
 */
const checkNameCount = (operations: readonly PatchOperation[]): void => {
  let names = 0;
  for (const { value } of operations.filter(isPathless))
    if (isJsonObject(value)) names += Object.keys(value).length;
  if (names > MAX_OPERATIONS) refuseTooMany();
};

const readSteps = (schema: ResourceSchema, body: unknown): readonly PatchStep[] => {
  const details: RefusalDetail[] = [];
  const operations = operationsIn(body);
  checkNameCount(operations);
  const steps = operations.flatMap((operation) => {
    requireValue(operation);
    return stepsOf(schema, operation, details);
  });
  return details.length > 0 ? refuseValues(details) : steps;
};

/**
 * Reads the steps in the body of a PATCH, in order. Applies every leniency that IdPs need, and makes
 * every check that does not depend on the resource. Throws RefusalError INVALID_REQUEST with the
 * scimType of RFC 7644, table 9, or PAYLOAD_TOO_LARGE.
 */
export const readPatch = (schema: ResourceSchema, body: unknown): readonly PatchStep[] => {
  const steps = readSteps(schema, body);
  checkWeight(steps);
  return steps;
};

/** Reads the changes of a profile in the body of a PATCH of a user. Throws like `readPatch`. */
export const readUserPatch = (
  body: unknown,
  schema: ResourceSchema = USER,
): readonly ProfileChange[] => readPatch(schema, body).map(changeOf);

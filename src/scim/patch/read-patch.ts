import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';
import type { PatchOperation } from '../../domain/patch-operation.js';
import { raise, type RefusalDetail } from '../../domain/refusals.js';
import { findAttribute, type ResourceSchema } from '../attributes.js';
import { inAnyCase } from '../in-any-case.js';
import { refuseMutability, refuseSyntax, refuseValues } from '../refuse-input.js';
import { checkPatchForm, MESSAGE_URNS } from '../scimmy.js';
import { type PatchStep, stepsOf, weightOf } from './patch-step.js';

const MOST_OPERATIONS = 1000;

const refuseAmount = (): never =>
  raise(
    'PAYLOAD_TOO_LARGE',
    `A PATCH may hold ${MOST_OPERATIONS} operations, values and conditions at most.`,
    {
      scimType: 'tooMany',
    },
  );

/** `path: null` and an empty path are none; `op` and names have any case (Entra, authentik). */
const normaliseOperation = (operation: JsonValue, index: number): JsonObject => {
  // PatchOp would break on null.
  if (!isJsonObject(operation)) {
    return refuseValues([{ path: `Operations[${index}]`, message: 'must be an object' }]);
  }
  const names = ['op', 'path', 'value'] as const;
  const { op, path, value } = inAnyCase(operation, names, `Operations[${index}].`);
  return {
    ...(op !== undefined && { op: typeof op === 'string' ? op.toLowerCase() : op }),
    ...(path === null || path === '' || path === undefined ? {} : { path }),
    ...(value !== undefined && { value }),
  };
};

const PATCH_URN = MESSAGE_URNS.patch.toLowerCase();

const isPatchUrn = (value: JsonValue): boolean =>
  typeof value === 'string' && value.toLowerCase() === PATCH_URN;

/** Whether the body says by its schema that it is a PATCH, and then nothing else (decisions.md 3). */
const isEmptyPatch = (schemas: JsonValue | undefined, given: JsonValue | undefined): boolean =>
  (given === undefined || given === null) &&
  Array.isArray(schemas) &&
  (schemas as JsonValue[]).some(isPatchUrn);

/**
 * The operations of a body, checked for their form. Missing and further `schemas` are taken, for
 * IdPs send both; no operation at all changes nothing, as Entra's validator wants (facts on
 * identity providers, 11), though the RFC asks for one.
 */
const operationsIn = (body: unknown): readonly PatchOperation[] => {
  if (!isJsonObject(body)) return refuseSyntax('The body must be a JSON object.');
  const { Operations: given, schemas } = inAnyCase(body, ['Operations', 'schemas']);
  if (isEmptyPatch(schemas, given)) return [];
  if (Array.isArray(given) && given.length === 0) return [];
  if (Array.isArray(given) && given.length > MOST_OPERATIONS) return refuseAmount();
  const Operations = Array.isArray(given) ? (given as JsonValue[]).map(normaliseOperation) : given;
  checkPatchForm({
    schemas: [MESSAGE_URNS.patch],
    ...(Operations === undefined ? {} : { Operations }),
  });
  return Operations as unknown as readonly PatchOperation[];
};

/** PatchOp passes a replace without a value, which would clear: it must be said outright. */
const requireValue = ({ op, path, value }: PatchOperation): void => {
  if (op === 'replace' && value === undefined) {
    refuseValues([{ path: path ?? 'value', message: 'needs a value; null takes it away' }]);
  }
};

/** Okta repeats the id in the value; another id would be another resource. */
const isSameId = (schema: ResourceSchema, name: string, value: unknown, id: string): boolean => {
  const attribute = findAttribute(schema, name);
  if (attribute?.name !== 'id') return false;
  return value === id || refuseMutability('The id of a resource cannot be changed.');
};

const withoutId = (
  schema: ResourceSchema,
  operation: PatchOperation,
  id: string,
): PatchOperation => {
  const { path, value } = operation;
  if (path !== undefined) return operation;
  const object = Array.isArray(value) && value.length === 1 ? (value[0] as JsonValue) : value;
  if (!isJsonObject(object)) return operation;
  const rest = Object.entries(object).filter(([name, each]) => !isSameId(schema, name, each, id));
  return { ...operation, value: Object.fromEntries(rest) };
};

/** Room for what is written in few operations: values of lists, attributes of an object. */
const requireBearable = (steps: readonly PatchStep[]): void => {
  const weight = steps.reduce((sum, step) => sum + weightOf(step), 0);
  if (weight > MOST_OPERATIONS) refuseAmount();
};

const isPathless = ({ path }: PatchOperation): boolean => path === undefined;

/**
 * The same before anything is looked up: what no attribute has the name of costs a look-up too, and
 * 100,000 of them half a second in which no other request is answered.
 */
const requireFewNames = (operations: readonly PatchOperation[]): void => {
  let names = 0;
  for (const { value } of operations.filter(isPathless))
    if (isJsonObject(value)) names += Object.keys(value).length;
  if (names > MOST_OPERATIONS) refuseAmount();
};

const inSteps = (schema: ResourceSchema, body: unknown, id: string): readonly PatchStep[] => {
  const faults: RefusalDetail[] = [];
  const operations = operationsIn(body);
  requireFewNames(operations);
  const steps = operations.flatMap((operation) => {
    requireValue(operation);
    return stepsOf(schema, withoutId(schema, operation, id), faults);
  });
  return faults.length > 0 ? refuseValues(faults) : steps;
};

/**
 * The steps that the body of a PATCH to the resource of this id asks for, in order, with their
 * targets. Throws as `readPatch`.
 */
export const readPatchSteps = (
  schema: ResourceSchema,
  body: unknown,
  id: string,
): readonly PatchStep[] => {
  const steps = inSteps(schema, body, id);
  requireBearable(steps);
  return steps;
};

/**
 * Reads the body of a PATCH to the resource of this id: every leniency that IdPs need is spent
 * here, and everything that can be refused without knowing the resource is. What comes out is one
 * operation for each attribute, with a path and a value of its type; null takes it away. Throws
 * RefusalError INVALID_REQUEST with the scimType of RFC 7644, table 9, or PAYLOAD_TOO_LARGE.
 */
export const readPatch = (
  schema: ResourceSchema,
  body: unknown,
  id: string,
): readonly PatchOperation[] =>
  readPatchSteps(schema, body, id).map(({ op, path, value }) => ({ op, path, value }));

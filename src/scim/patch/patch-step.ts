import type { Filter } from '../../domain/kernel/filter.js';
import { isJsonObject, type JsonValue } from '../../domain/kernel/json.js';
import type { PatchOperation } from '../../domain/commands.js';
import type { RefusalDetail } from '../../domain/kernel/refusals.js';
import { isStored, type ResourceSchema } from '../attributes.js';
import { readOne, type ReadResult, readValue } from '../read-value.js';
import { refuseMutability, refusePath, refuseValues } from '../refuse-input.js';
import { findTarget, type PatchTarget } from './patch-target.js';

/** One operation on one target, with a value of its type; null removes the value. */
export interface PatchStep {
  readonly op: PatchOperation['op'];
  readonly path: string;
  readonly target: PatchTarget;
  readonly value: ReadResult;
}

type Value = JsonValue | undefined;
type OptionalTarget = PatchTarget | undefined;

/** Computed attributes and those that are never stored are ignored (scimmy facts, 5). */
const hasEffect = ({ attribute, subAttribute }: PatchTarget): boolean =>
  isStored(attribute) && (subAttribute === undefined || isStored(subAttribute));

const nameOf = ({ attribute, subAttribute }: PatchTarget): string =>
  [...attribute.reference.path, ...(subAttribute ? [subAttribute.name] : [])].join('.');

/** The value of a remove selects elements, in lists only (facts on identity providers, 3). */
const selectsByValue = ({ attribute, selector }: PatchTarget): boolean =>
  attribute.multiValued && selector === undefined;

const readStepValue = (
  { op, value }: PatchOperation,
  target: PatchTarget,
  details: RefusalDetail[],
): ReadResult => {
  if (op === 'remove' && !selectsByValue(target)) return null;
  // An empty string selects nothing. Read as "no value", it would remove the whole list.
  if (op === 'remove' && value === '') return [];
  const context = { path: nameOf(target), details };
  const { attribute, selector, subAttribute } = target;
  if (subAttribute) return readValue(subAttribute, value, context);
  return selector ? readOne(attribute, value, context) : readValue(attribute, value, context);
};

/**
 * Turns a step on `manager.value` into one on `manager`: a new value identifies another manager, so
 * the other sub-attributes (`$ref`) must be replaced too.
 */
const liftToAttribute = (schema: ResourceSchema, step: PatchStep): PatchStep => {
  const { attribute } = step.target;
  const path = attribute.reference.path;
  if (attribute.name !== 'value' || path.length === 1) return step;
  const parentPath = step.path.replace(/\.value$/i, '');
  const target = findTarget(schema, parentPath);
  const value = step.value === null ? null : { value: step.value };
  return target ? { ...step, path: parentPath, target, value } : step;
};

/** The step for a path; none if the attribute is unknown or ignored. */
const stepAt = (
  schema: ResourceSchema,
  {
    op,
    path,
    value,
    target,
  }: PatchOperation & Pick<PatchStep, 'path'> & { target: OptionalTarget },
  details: RefusalDetail[],
): readonly PatchStep[] => {
  if (!target || !hasEffect(target)) return [];
  const read = readStepValue({ op, ...(value === undefined ? {} : { value }) }, target, details);
  return [liftToAttribute(schema, { op, path, target, value: read })];
};

const isReadOnly = (
  { ignoredOnWrite }: ResourceSchema,
  { attribute, subAttribute = attribute }: PatchTarget,
): boolean =>
  subAttribute.mutability === 'readOnly' && !ignoredOnWrite.has(attribute.reference.path[0] ?? '');

/** A path to a read-only attribute is refused (RFC 7644, 3.5.2 and table 9). */
const requireTarget = (schema: ResourceSchema, path: string): PatchTarget => {
  const named = path.slice(0, 100);
  const target = findTarget(schema, path);
  if (!target) return refusePath(`The path ${named} is not an attribute of ${schema.name}.`);
  return isReadOnly(schema, target)
    ? refuseMutability(`The path ${named} is a read-only attribute.`)
    : target;
};

/** SCIM-SDK clients send the object in a list of one (facts on identity providers, 22). */
const attributesOf = (value: Value): readonly (readonly [string, Value])[] => {
  const object: Value = Array.isArray(value) && value.length === 1 ? (value as Value[])[0] : value;
  return isJsonObject(object)
    ? Object.entries(object)
    : refuseValues([
        { path: 'value', message: 'must be an object of attributes if there is no path' },
      ]);
};

/**
 * The steps of one operation. Without a path there is one for each attribute in the value, whose
 * names may be dotted, qualified or contain a selector (Entra). Unknown and read-only names are
 * ignored there, but refused as a `path` (decisions.md 2 and 3, RFC 7644, table 9).
 */
export const stepsOf = (
  schema: ResourceSchema,
  operation: PatchOperation,
  details: RefusalDetail[],
): readonly PatchStep[] => {
  const { op, path, value } = operation;
  if (path !== undefined) {
    return stepAt(schema, { ...operation, path, target: requireTarget(schema, path) }, details);
  }
  return attributesOf(value).flatMap(([name, given]) => {
    const one = { op, path: name, target: findTarget(schema, name) };
    return stepAt(schema, given === undefined ? one : { ...one, value: given }, details);
  });
};

const countTerms = (filter: Filter): number => {
  if (filter.kind === 'and' || filter.kind === 'or') {
    return filter.of.reduce((sum, inner) => sum + countTerms(inner), 0);
  }
  return filter.kind === 'not' || filter.kind === 'element' ? countTerms(filter.of) : 1;
};

/**
 * The cost of a step: each of its values and conditions is compared with up to 100 elements inside
 * the lane, while other tenants' commands wait.
 */
export const weightOf = ({ target: { attribute, selector }, value }: PatchStep): number => {
  // Group members are looked up by id.
  if (attribute.isUnbounded) return 1;
  return Math.max(1, Array.isArray(value) ? value.length : 0, selector ? countTerms(selector) : 0);
};

import type { Filter } from '../../domain/filter.js';
import { isJsonObject, type JsonValue } from '../../domain/json.js';
import type { PatchOperation } from '../../domain/patch-operation.js';
import type { RefusalDetail } from '../../domain/refusals.js';
import { isKept, type ResourceSchema } from '../attributes.js';
import { type Read, readOne, readValue } from '../read-value.js';
import { refuseMutability, refusePath, refuseValues } from '../refuse-input.js';
import { findTarget, type PatchTarget } from './patch-target.js';

/** One thing to do to one target, with a value of its type; null for none. */
export interface PatchStep {
  readonly op: PatchOperation['op'];
  readonly path: string;
  readonly target: PatchTarget;
  readonly value: Read;
}

type Value = JsonValue | undefined;
type MaybeTarget = PatchTarget | undefined;

/** What is worked out by the server or never kept: said without effect (scimmy facts, 5). */
const hasEffect = ({ attribute, part }: PatchTarget): boolean =>
  isKept(attribute) && (part === undefined || isKept(part));

const nameOf = ({ attribute, part }: PatchTarget): string =>
  [...attribute.reference.path, ...(part ? [part.name] : [])].join('.');

/** What to remove is chosen by value in lists alone (facts on identity providers, 3). */
const choosesByValue = ({ attribute, selector }: PatchTarget): boolean =>
  attribute.multiValued && selector === undefined;

const readStepValue = (
  { op, value }: PatchOperation,
  target: PatchTarget,
  faults: RefusalDetail[],
): Read => {
  if (op === 'remove' && !choosesByValue(target)) return null;
  // An empty text chooses nothing: read as "no value", a remove would take the whole list.
  if (op === 'remove' && value === '') return [];
  const place = { path: nameOf(target), faults };
  const { attribute, selector, part } = target;
  if (part) return readValue(part, value, place);
  return selector ? readOne(attribute, value, place) : readValue(attribute, value, place);
};

/**
 * `manager.value` names the manager: whoever it was before is not, so the other parts (`$ref`) go
 * with it. Such a step is one on the whole attribute.
 */
const onWholeAttribute = (schema: ResourceSchema, step: PatchStep): PatchStep => {
  const { attribute } = step.target;
  const path = attribute.reference.path;
  if (attribute.name !== 'value' || path.length === 1) return step;
  const parentPath = step.path.replace(/\.value$/i, '');
  const target = findTarget(schema, parentPath);
  const value = step.value === null ? null : { value: step.value };
  return target ? { ...step, path: parentPath, target, value } : step;
};

/** The step at a path; none where it has no effect, or where nothing has that name. */
const stepAt = (
  schema: ResourceSchema,
  { op, path, value, target }: PatchOperation & Pick<PatchStep, 'path'> & { target: MaybeTarget },
  faults: RefusalDetail[],
): readonly PatchStep[] => {
  if (!target || !hasEffect(target)) return [];
  const read = readStepValue({ op, ...(value === undefined ? {} : { value }) }, target, faults);
  return [onWholeAttribute(schema, { op, path, target, value: read })];
};

const isReadOnly = (
  { ignoredOnWrite }: ResourceSchema,
  { attribute, part = attribute }: PatchTarget,
): boolean =>
  part.mutability === 'readOnly' && !ignoredOnWrite.has(attribute.reference.path[0] ?? '');

/** A path to a read-only attribute asks to change it (RFC 7644, 3.5.2 and table 9). */
const requireTarget = (schema: ResourceSchema, path: string): PatchTarget => {
  const named = path.slice(0, 100);
  const target = findTarget(schema, path);
  if (!target) return refusePath(`The path ${named} names no attribute of ${schema.name}.`);
  return isReadOnly(schema, target)
    ? refuseMutability(`The path ${named} names a read-only attribute, which cannot be changed.`)
    : target;
};

/** SCIM-SDK clients put the object into a list of one (facts on identity providers, 22). */
const attributesOf = (value: Value): readonly (readonly [string, Value])[] => {
  const object: Value = Array.isArray(value) && value.length === 1 ? (value as Value[])[0] : value;
  return isJsonObject(object)
    ? Object.entries(object)
    : refuseValues([
        { path: 'value', message: 'must be an object of attributes where there is no path' },
      ]);
};

/**
 * The steps of one operation. Without a path it is one for each attribute in the value, whose names
 * may be dotted, qualified or even select (Entra); unknown and read-only ones are passed over there,
 * while such a `path` is refused (decisions.md 2 and 3, RFC 7644, table 9).
 */
export const stepsOf = (
  schema: ResourceSchema,
  operation: PatchOperation,
  faults: RefusalDetail[],
): readonly PatchStep[] => {
  const { op, path, value } = operation;
  if (path !== undefined) {
    return stepAt(schema, { ...operation, path, target: requireTarget(schema, path) }, faults);
  }
  return attributesOf(value).flatMap(([name, given]) => {
    const one = { op, path: name, target: findTarget(schema, name) };
    return stepAt(schema, given === undefined ? one : { ...one, value: given }, faults);
  });
};

const termsIn = (filter: Filter): number => {
  if (filter.kind === 'and' || filter.kind === 'or') {
    return filter.of.reduce((sum, part) => sum + termsIn(part), 0);
  }
  return filter.kind === 'not' || filter.kind === 'element' ? termsIn(filter.of) : 1;
};

/**
 * What a step costs: every value and every condition of its selection is compared with up to a
 * hundred elements, inside the lane, where other tenants' commands wait meanwhile.
 */
export const weightOf = ({ target: { attribute, selector }, value }: PatchStep): number => {
  // Members of a group are looked up by id; no list is gone through.
  if (attribute.isUnbounded) return 1;
  return Math.max(1, Array.isArray(value) ? value.length : 0, selector ? termsIn(selector) : 0);
};

import type { Filter } from '../domain/kernel/filter.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import {
  refuseMutability,
  refusePath,
  refuseValues,
  RefusalError,
  type RefusalDetail,
} from '../domain/kernel/refusals.js';
import type { ProfileChange } from '../domain/user/profile-changes.js';
import {
  type Attribute,
  findAttribute,
  isIgnoredName,
  isStored,
  type ResourceSchema,
} from './attributes.js';
import { readSelector } from './filter-reader.js';
import {
  createPathCursor,
  expect,
  peek,
  refuseToken,
  take,
  type TokenCursor,
} from './filter-tokens.js';
import { readListToRemove, readOne, type ReadResult, readValue } from './read-value.js';

/**
 * The target of an operation (RFC 7644, 3.5.2, figure 7): an attribute, or some of its elements.
 */
interface PatchTarget {
  readonly attribute: Attribute;
  /** The filter in brackets, which selects elements of a list. */
  readonly selector?: Filter;
  /** The sub-attribute after the brackets. */
  readonly subAttribute?: Attribute;
}

const readSubAttribute = (cursor: TokenCursor, attribute: Attribute): Attribute | undefined => {
  const token = peek(cursor);
  if (token.kind === 'end') return undefined;
  take(cursor);
  const subAttribute = token.text.startsWith('.')
    ? attribute.subAttributes.get(token.text.slice(1).toLowerCase())
    : undefined;
  return (
    subAttribute ??
    refuseToken(token, `the end of the path or a sub-attribute of ${attribute.name}`)
  );
};

const readSelected = (
  cursor: TokenCursor,
  schema: ResourceSchema,
  attribute: Attribute,
): PatchTarget => {
  if (attribute.type !== 'complex' || !attribute.multiValued) {
    refuseToken(peek(cursor), `no brackets, because ${attribute.name} is not a list of objects`);
  }
  const selector = readSelector(cursor, { schema, parent: attribute });
  const subAttribute = readSubAttribute(cursor, attribute);
  expect(cursor, 'end', 'the end of the path');
  return { attribute, selector, ...(subAttribute && { subAttribute }) };
};

/** `emails.value` and `members.value` do not select an element (scimmy facts, 5). */
const refuseUnselectedElement = (
  { attributes }: ResourceSchema,
  attribute: Attribute,
  path: string,
): PatchTarget => {
  if (!attribute.inList) return { attribute };
  const [list = ''] = attribute.reference.path;
  const example = attributes.get(list)?.isUnbounded
    ? `${list}[value eq "…"]`
    : `${list}[type eq "work"].${attribute.name}`;
  return refusePath(
    `The path ${path} does not select an element. Use a filter, such as ${example}.`,
  );
};

const readTarget = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  const cursor = createPathCursor(path);
  const name = take(cursor);
  const attribute = name.kind === 'word' ? findAttribute(schema, name.text) : undefined;
  // Ignored attributes, such as Entra's roles, may have any selector.
  if (!attribute || !isStored(attribute)) return attribute && { attribute };
  if (peek(cursor).kind !== 'end') return readSelected(cursor, schema, attribute);
  return refuseUnselectedElement(schema, attribute, path);
};

/**
 * The target of a path; undefined if the type has no such attribute. Throws RefusalError with
 * invalidPath if the path is malformed.
 */
const findTarget = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  try {
    return readTarget(schema, path);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code !== 'INVALID_FILTER') throw error;
    return refusePath(error.message.replace(/(?<=[Tt]he )filter/g, 'path'));
  }
};

/** An operation of a PATCH (RFC 7644, 3.5.2), with names and `op` in the RFC's spelling. */
export interface PatchOperation {
  readonly op: ProfileChange['op'];
  readonly path?: string;
  readonly value?: JsonValue;
}

/** One operation on one target, with a value of its type; null removes the value. */
export interface PatchStep {
  readonly op: PatchOperation['op'];
  readonly target: PatchTarget;
  readonly value: ReadResult;
}

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
  const context = { path: nameOf(target), details };
  const { attribute, selector, subAttribute } = target;
  if (op === 'remove')
    return selectsByValue(target) ? readListToRemove(attribute, value, context) : null;
  if (subAttribute) return readValue(subAttribute, value, context);
  return selector ? readOne(attribute, value, context) : readValue(attribute, value, context);
};

/** The step for a target; none if the attribute is unknown or ignored. */
const stepAt = (
  target: PatchTarget | undefined,
  operation: PatchOperation,
  details: RefusalDetail[],
): readonly PatchStep[] =>
  target && hasEffect(target)
    ? [{ op: operation.op, target, value: readStepValue(operation, target, details) }]
    : [];

const isReadOnly = (
  { ignoredOnWrite }: ResourceSchema,
  { attribute, subAttribute = attribute }: PatchTarget,
): boolean =>
  subAttribute.mutability === 'readOnly' && !ignoredOnWrite.has(attribute.reference.path[0] ?? '');

/**
 * A path to a read-only attribute is refused (RFC 7644, 3.5.2 and table 9); none for one that is
 * ignored.
 */
const requireTarget = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  const named = path.slice(0, 100);
  const target = findTarget(schema, path);
  if (!target) {
    return isIgnoredName(schema, path)
      ? undefined
      : refusePath(`The path ${named} is not an attribute of ${schema.name}.`);
  }
  return isReadOnly(schema, target)
    ? refuseMutability(`The path ${named} is a read-only attribute.`)
    : target;
};

/** SCIM-SDK clients send the object in a list of one (facts on identity providers, 22). */
const attributesOf = (value: JsonValue | undefined): JsonObject => {
  const object: JsonValue | undefined =
    Array.isArray(value) && value.length === 1 ? (value as readonly JsonValue[])[0] : value;
  return isJsonObject(object)
    ? object
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
  if (path !== undefined) return stepAt(requireTarget(schema, path), operation, details);
  return Object.entries(attributesOf(value)).flatMap(([name, given]) =>
    stepAt(findTarget(schema, name), { op, ...(given !== undefined && { value: given }) }, details),
  );
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

/**
 * A step as a change of a user's profile. A step on `manager.value` changes `manager`: a new value
 * identifies another manager, so the other sub-attributes (`$ref`) must be replaced too.
 */
export const changeOf = ({ op, target, value }: PatchStep): ProfileChange => {
  const { attribute, selector, subAttribute } = target;
  const { path } = attribute.reference;
  if (attribute.name === 'value' && path.length > 1)
    return { op, path: path.slice(0, -1), value: value === null ? null : { value } };
  return {
    op,
    path,
    ...(selector && { selector }),
    ...(subAttribute && { member: subAttribute.name }),
    ...(attribute.multiValued && attribute.reference.caseExact && { caseExact: true }),
    value,
  };
};

import type { Filter } from '../../domain/kernel/filter.js';
import { RefusalError } from '../../domain/kernel/refusals.js';
import { type Attribute, findAttribute, isStored, type ResourceSchema } from '../attributes.js';
import {
  createPathCursor,
  expect,
  peek,
  refuseToken,
  take,
  type TokenCursor,
} from '../token-cursor.js';
import { readSelector } from '../filter-reader.js';
import { refusePath } from '../refuse-input.js';

/**
 * The target of an operation (RFC 7644, 3.5.2, figure 7): an attribute, or some of its elements.
 */
export interface PatchTarget {
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
export const findTarget = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  try {
    return readTarget(schema, path);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code !== 'INVALID_FILTER') throw error;
    return refusePath(error.message.replace(/(?<=[Tt]he )filter/g, 'path'));
  }
};

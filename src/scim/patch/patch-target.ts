import type { Filter } from '../../domain/filter.js';
import { RefusalError } from '../../domain/refusals.js';
import { type Attribute, findAttribute, isKept, type ResourceSchema } from '../attributes.js';
import { type Cursor, expect, openPath, peek, refuseToken, take } from '../filter-cursor.js';
import { readSelector } from '../filter-reader.js';
import { refusePath } from '../refuse-input.js';

/** What an operation is about (RFC 7644, 3.5.2, figure 7): an attribute, or some of its elements. */
export interface PatchTarget {
  readonly attribute: Attribute;
  /** Which elements of a list: what stands in brackets. */
  readonly selector?: Filter;
  /** Which part of each such element: what stands after the brackets. */
  readonly part?: Attribute;
}

const readPart = (cursor: Cursor, attribute: Attribute): Attribute | undefined => {
  const token = peek(cursor);
  if (token.kind === 'end') return undefined;
  take(cursor);
  const part = token.text.startsWith('.')
    ? attribute.subAttributes.get(token.text.slice(1).toLowerCase())
    : undefined;
  return part ?? refuseToken(token, `the end of the path or a part of ${attribute.name}`);
};

const readSelected = (
  cursor: Cursor,
  schema: ResourceSchema,
  attribute: Attribute,
): PatchTarget => {
  if (attribute.type !== 'complex' || !attribute.multiValued) {
    refuseToken(peek(cursor), `no brackets, for ${attribute.name} is no list`);
  }
  const selector = readSelector(cursor, { schema, parent: attribute });
  const part = readPart(cursor, attribute);
  expect(cursor, 'end', 'the end of the path');
  return { attribute, selector, ...(part && { part }) };
};

/** `emails.value` says of no element which; `members.value` neither (scimmy facts, 5). */
const requireOwnPlace = (
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
    `The path ${path} does not say which element is meant: use a selection, such as ${example}.`,
  );
};

const readTarget = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  const cursor = openPath(path);
  const name = take(cursor);
  const attribute = name.kind === 'word' ? findAttribute(schema, name.text) : undefined;
  // What nobody keeps has no effect, whatever is selected of it: Entra's roles, for one.
  if (!attribute || !isKept(attribute)) return attribute && { attribute };
  if (peek(cursor).kind !== 'end') return readSelected(cursor, schema, attribute);
  return requireOwnPlace(schema, attribute, path);
};

/**
 * What a path names; undefined where the type has no such attribute. Throws RefusalError with
 * invalidPath where the path is malformed.
 */
export const findTarget = (schema: ResourceSchema, path: string): PatchTarget | undefined => {
  try {
    return readTarget(schema, path);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code !== 'INVALID_FILTER') throw error;
    return refusePath(error.message.replace(/(?<=[Tt]he )filter/g, 'path'));
  }
};

import { parseUserId, type UserId } from '../domain/kernel/ids.js';
import { each, type Chunked } from '../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import { raise, type RefusalDetail } from '../domain/kernel/refusals.js';

/** A member in a body: `{value, type}`, or the bare id (facts on identity providers, 9). */
type MemberValue = JsonValue | undefined;

/** Attribute names are case-insensitive (RFC 7643, 2.1); most clients use the RFC's spelling. */
const valueIgnoringCase = (member: JsonObject, name: string): JsonValue | undefined => {
  if (Object.hasOwn(member, name)) return member[name];
  const key = Object.keys(member).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : member[key];
};

const textOf = (member: MemberValue, name: 'value' | 'type'): string | undefined => {
  const own = isJsonObject(member) ? valueIgnoringCase(member, name) : undefined;
  const value = name === 'value' && typeof member === 'string' ? member : own;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const isNestedGroup = (member: MemberValue): boolean =>
  textOf(member, 'type')?.toLowerCase() === 'group';

/** Why a member is invalid; undefined if it is valid (decisions.md 5). */
const memberError = (member: MemberValue): string | undefined => {
  const value = textOf(member, 'value');
  if (value === undefined) return 'must have a user id as its value';
  if (isNestedGroup(member)) return `${value} has the type Group; only users can be members`;
  return parseUserId(value) ? undefined : `no user has the id ${value.slice(0, 100)}`;
};

const MAX_DETAILS = 100;

const refuseMembers = (details: readonly RefusalDetail[]): never => {
  const [first] = details;
  return raise('INVALID_REQUEST', `members: ${first?.message ?? ''}. Nothing was changed.`, {
    scimType: 'invalidValue',
    details: details.slice(0, MAX_DETAILS),
  });
};

/**
 * Reads the user ids in a list of members, without duplicates. Throws RefusalError INVALID_REQUEST
 * (invalidValue) with every malformed id and nested group, as the decider does for unknown ids.
 */
export const readMembers = function* (given: readonly JsonValue[]): Chunked<readonly UserId[]> {
  const details: RefusalDetail[] = [];
  yield* each(given, (member) => {
    const message = memberError(member);
    if (message !== undefined) details.push({ path: 'members', message });
  });
  return details.length > 0 ? refuseMembers(details) : yield* readMembersToRemove(given);
};

/**
 * Reads the user ids in a list of members to remove. Invalid entries are ignored: none is a member.
 */
export const readMembersToRemove = function* (
  given: readonly JsonValue[],
): Chunked<readonly UserId[]> {
  const ids = new Set<UserId>();
  yield* each(given, (member) => {
    const id = parseUserId(textOf(member, 'value') ?? '');
    if (id !== undefined) ids.add(id);
  });
  return [...ids];
};

import { parseUserId, type UserId } from '../domain/ids.js';
import { each, type Pieces } from '../domain/in-pieces.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import { raise, type RefusalDetail } from '../domain/refusals.js';

/** A member as a body names him: `{value, type}`, or the bare id (facts on identity providers, 9). */
type Named = JsonValue | undefined;

/** Names of attributes have no case (RFC 7643, 2.1), but nearly all write them as the RFC does. */
const partNamed = (member: JsonObject, name: string): JsonValue | undefined => {
  if (Object.hasOwn(member, name)) return member[name];
  const key = Object.keys(member).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : member[key];
};

const part = (member: Named, name: 'value' | 'type'): string | undefined => {
  const own = isJsonObject(member) ? partNamed(member, name) : undefined;
  const value = name === 'value' && typeof member === 'string' ? member : own;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const isNestedGroup = (member: Named): boolean => part(member, 'type')?.toLowerCase() === 'group';

/** Why nobody is meant by it, where so (decisions.md 5). */
const faultOf = (member: Named): string | undefined => {
  const value = part(member, 'value');
  if (value === undefined) return 'must have the id of a user as its value';
  if (isNestedGroup(member)) return `${value} is named as a group; only users can be members`;
  return parseUserId(value) ? undefined : `no user has the id ${value.slice(0, 100)}`;
};

const MOST_TOLD = 100;

const refuseMembers = (faults: readonly RefusalDetail[]): never => {
  const [first] = faults;
  return raise('INVALID_REQUEST', `members: ${first?.message ?? ''}. Nothing was changed.`, {
    scimType: 'invalidValue',
    details: faults.slice(0, MOST_TOLD),
  });
};

/**
 * The users whom a list makes members, each once. What cannot be a user's id is refused as the
 * decider refuses the id of nobody, and so is a nested group: never passed over. Throws RefusalError
 * INVALID_REQUEST (invalidValue) that names them.
 */
export const readMembers = function* (given: readonly JsonValue[]): Pieces<readonly UserId[]> {
  const faults: RefusalDetail[] = [];
  yield* each(given, (member) => {
    const message = faultOf(member);
    if (message !== undefined) faults.push({ path: 'members', message });
  });
  return faults.length > 0 ? refuseMembers(faults) : yield* readFormerMembers(given);
};

/** The users whom a list takes away: who cannot be a member is none, so nothing is to be done. */
export const readFormerMembers = function* (
  given: readonly JsonValue[],
): Pieces<readonly UserId[]> {
  const ids = new Set<UserId>();
  yield* each(given, (member) => {
    const id = parseUserId(part(member, 'value') ?? '');
    if (id !== undefined) ids.add(id);
  });
  return [...ids];
};

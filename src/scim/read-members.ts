import { parseUserId, type UserId } from '../domain/ids.js';
import { isJsonObject, type JsonValue } from '../domain/json.js';
import { raise, type RefusalDetail } from '../domain/refusals.js';

/** A member as a body names him: `{value, type}`, read by the schema. */
type Named = JsonValue | undefined;

const part = (member: Named, name: string): string | undefined => {
  const value = isJsonObject(member) ? member[name] : undefined;
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
export const readMembers = (given: readonly JsonValue[]): readonly UserId[] => {
  const faults = given.flatMap((member) => {
    const message = faultOf(member);
    return message === undefined ? [] : [{ path: 'members', message }];
  });
  return faults.length > 0 ? refuseMembers(faults) : readFormerMembers(given);
};

/** The users whom a list takes away: who cannot be a member is none, so nothing is to be done. */
export const readFormerMembers = (given: readonly JsonValue[]): readonly UserId[] => {
  const ids = given.flatMap((member) => parseUserId(part(member, 'value') ?? '') ?? []);
  return [...new Set(ids)];
};

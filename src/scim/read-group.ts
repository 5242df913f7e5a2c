import { parseUserId, type UserId } from '../domain/kernel/ids.js';
import { each, type Chunked } from '../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import {
  raise,
  type RefusalDetail,
  refuseMutability,
  refuseRemoval,
  refuseTarget,
  refuseValues,
} from '../domain/kernel/refusals.js';
import type { ChangeGroup, CreateGroup, MemberStep } from '../domain/commands.js';
import { ALL, type Filter } from '../domain/kernel/filter.js';
import { selectMembers } from '../domain/group/member-selection.js';
import type { ScimSettings } from '../domain/tenant/scim-settings.js';
import { GROUP, MEMBERS } from './schemas.js';
import type { PatchStep } from './patch-steps.js';
import { readPatch } from './read-patch.js';
import { readResource } from './read-user.js';
import { groupNameError } from './read-value.js';

/** A member in a body: `{value, type}`, or the bare id (facts on identity providers, 9). */
type MemberValue = JsonValue | undefined;

/** Attribute names are case-insensitive (RFC 7643, 2.1); most clients use the RFC's spelling. */
const valueIgnoringCase = (member: JsonObject, name: string): JsonValue | undefined => {
  if (Object.hasOwn(member, name)) return member[name];
  const key = Object.keys(member).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : member[key];
};

const textOf = (
  member: MemberValue,
  name: 'value' | 'type' | '$ref' | 'id',
): string | undefined => {
  const own = isJsonObject(member) ? valueIgnoringCase(member, name) : undefined;
  const value = name === 'value' && typeof member === 'string' ? member : own;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const USER_REFERENCE = /(?:^|\/)Users\/([^/?#]+)$/;

/** The id of the user that a member names, by its `value`, else its `$ref`, else its `id`. */
const idIn = (member: MemberValue): string | undefined =>
  textOf(member, 'value') ??
  USER_REFERENCE.exec(textOf(member, '$ref') ?? '')?.[1] ??
  textOf(member, 'id');

const MAX_DETAILS = 100;
const MAX_ID = 100;

/** A user's id, a text that is the id of no user, or why the member is invalid (decisions.md 5). */
const readMember = (
  member: MemberValue,
): { readonly userId: UserId } | { readonly malformed: string } | { readonly error: string } => {
  const id = idIn(member);
  if (id === undefined) return { error: 'must have a user id as its value' };
  const shown = id.slice(0, MAX_ID);
  if (textOf(member, 'type')?.toLowerCase() === 'group')
    return { error: `${shown} has the type Group; only users can be members` };
  const userId = parseUserId(id);
  return userId === undefined ? { malformed: shown } : { userId };
};

const refuseMembers = (details: readonly RefusalDetail[]): never => {
  const [first] = details;
  return raise('INVALID_REQUEST', `members: ${first?.message ?? ''}. Nothing was changed.`, {
    scimType: 'invalidValue',
    details: details.slice(0, MAX_DETAILS),
  });
};

/** How unknown members are treated. */
type MemberSettings = Pick<ScimSettings, 'unknownMembers'>;

interface ReadMembers {
  readonly userIds: readonly UserId[];
  /** Ids that no user can have; empty unless unknown members are left out. */
  readonly malformed: readonly string[];
}

/**
 * Reads the user ids in a list of members, to add or to remove, without duplicates. Throws
 * RefusalError INVALID_REQUEST (invalidValue) with every malformed id and nested group: a member that
 * the gateway cannot read must not look removed to the client. If the tenant leaves out unknown
 * members, malformed ids are returned.
 */
const readMembers = function* (
  given: readonly JsonValue[],
  { unknownMembers }: MemberSettings,
): Chunked<ReadMembers> {
  const details: RefusalDetail[] = [];
  const userIds = new Set<UserId>();
  const malformed = new Set<string>();
  yield* each(given, (member) => {
    const read = readMember(member);
    if ('userId' in read) userIds.add(read.userId);
    else if ('malformed' in read && unknownMembers === 'skip') malformed.add(read.malformed);
    else
      details.push({
        path: 'members',
        message: 'error' in read ? read.error : `no user has the id ${read.malformed}`,
      });
  });
  if (details.length > 0) return refuseMembers(details);
  return { userIds: [...userIds], malformed: [...malformed] };
};

/** A group as a body describes it. */
interface GroupBody {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Undefined if the body has no `members`. */
  readonly members: ReadMembers | undefined;
}

const requireValidName = (name: string): string => {
  const message = groupNameError(name);
  return message === undefined ? name : refuseValues([{ path: 'displayName', message }]);
};

/**
 * Reads the group in the body of a POST or PUT. Throws RefusalError INVALID_REQUEST with every
 * invalid attribute or every invalid member.
 */
const readGroup = function* (body: unknown, settings: MemberSettings): Chunked<GroupBody> {
  const { displayName, externalId, members } = readResource(GROUP, body);
  return {
    // Read by its type, and required.
    displayName: requireValidName(displayName as string),
    externalId: typeof externalId === 'string' ? externalId : null,
    members: Array.isArray(members)
      ? yield* readMembers(members as readonly JsonValue[], settings)
      : undefined,
  };
};

const malformedField = (malformed: readonly string[]) =>
  malformed.length > 0 ? { malformed } : {};

/** Reads a POST: the body's part of a `group.create` command. Throws as above. */
export const readNewGroup = function* (
  body: unknown,
  settings: MemberSettings,
): Chunked<Pick<CreateGroup, 'displayName' | 'externalId' | 'members' | 'malformed'>> {
  const { members, ...attributes } = yield* readGroup(body, settings);
  const { userIds = [], malformed = [] } = members ?? {};
  return { ...attributes, members: userIds, ...malformedField(malformed) };
};

/** The body's part of a `group.change` command; the path has the group's id. */
type GroupChange = Pick<ChangeGroup, 'displayName' | 'externalId' | 'steps' | 'malformed'>;

/**
 * Reads a PUT. Without `members` it empties the group (RFC 7644, 3.5.1): clients omit empty
 * lists, so otherwise the last member would keep access. Tenants whose client reads with
 * `excludedAttributes=members` and sends the result back can set `putWithoutMembers` to keep them.
 */
export const readGroupReplacement = function* (
  body: unknown,
  settings: MemberSettings & Pick<ScimSettings, 'putWithoutMembers'>,
): Chunked<GroupChange> {
  const { members, ...attributes } = yield* readGroup(body, settings);
  const { userIds, malformed = [] } =
    members ?? (settings.putWithoutMembers === 'clear' ? { userIds: [] } : {});
  return {
    ...attributes,
    steps: userIds ? [{ op: 'replace', userIds }] : [],
    ...malformedField(malformed),
  };
};

const targetsMembers = ({ target }: PatchStep): boolean => target.attribute === MEMBERS;

/** The members that a filter selects; null for all of them. */
const selectedMembers = (selector: Filter): readonly string[] | null => {
  const { kind, ids } = selectMembers(selector);
  if (kind === 'these') return [...ids];
  return ids.size === 0
    ? null
    : raise(
        'INVALID_FILTER',
        'Name the members to remove, for example members[value eq "…"]. A filter cannot remove all members except some.',
      );
};

const refuseChange = (selector: Filter | undefined): never => {
  const { kind, ids } = selector ? selectMembers(selector) : ALL;
  return kind === 'allBut' || [...ids].some(parseUserId)
    ? refuseMutability('Members cannot be changed. Add or remove users instead.')
    : refuseTarget('The path selects no member.');
};

const memberStep = function* (
  { op, target: { selector, subAttribute }, value }: PatchStep,
  settings: MemberSettings,
): Chunked<{ readonly step: MemberStep; readonly malformed?: readonly string[] }> {
  if (subAttribute || (selector && op !== 'remove')) return refuseChange(selector);
  const given = selector ? selectedMembers(selector) : value;
  if (op === 'remove' && given === null) return { step: { op: 'removeAll' } };
  const { userIds, malformed } = yield* readMembers(
    Array.isArray(given) ? (given as readonly JsonValue[]) : [],
    settings,
  );
  return { step: { op, userIds }, malformed };
};

const writeAttribute = (
  attributes: GroupAttributes,
  { op, target: { attribute }, value }: PatchStep,
): GroupAttributes => {
  const isRemoved = op === 'remove' || value === null;
  if (isRemoved && attribute.required) refuseRemoval(attribute.name);
  return { ...attributes, [attribute.name]: isRemoved ? null : value };
};

type GroupAttributes = Pick<GroupChange, 'displayName' | 'externalId'>;

/**
 * Reads a PATCH of a group (RFC 7644, 3.5.2): the final value of each changed attribute, and the
 * member steps in order. Throws like `readPatch`.
 */
export const readGroupPatch = function* (
  body: unknown,
  settings: MemberSettings,
): Chunked<GroupChange> {
  const steps = readPatch(GROUP, body);
  const attributes = steps
    .filter((step) => !targetsMembers(step))
    .reduce<GroupAttributes>((written, step) => writeAttribute(written, step), {});
  if (attributes.displayName !== undefined) requireValidName(attributes.displayName);
  const memberSteps: MemberStep[] = [];
  const unknown = new Set<string>();
  for (const one of steps.filter(targetsMembers)) {
    const { step, malformed = [] } = yield* memberStep(one, settings);
    memberSteps.push(step);
    for (const value of malformed) unknown.add(value);
  }
  return { ...attributes, steps: memberSteps, ...malformedField([...unknown]) };
};

import { parseUserId, type UserId } from '../domain/kernel/ids.js';
import { each, type Chunked } from '../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';
import {
  raise,
  type RefusalDetail,
  refuseMutability,
  refuseRemoval,
  refuseValues,
} from '../domain/kernel/refusals.js';
import type { ChangeGroup, CreateGroup, MemberStep } from '../domain/commands.js';
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

const textOf = (member: MemberValue, name: 'value' | 'type'): string | undefined => {
  const own = isJsonObject(member) ? valueIgnoringCase(member, name) : undefined;
  const value = name === 'value' && typeof member === 'string' ? member : own;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const isNestedGroup = (member: MemberValue): boolean =>
  textOf(member, 'type')?.toLowerCase() === 'group';

/** Why a member is invalid; undefined if it names a user, or might (decisions.md 5). */
const memberError = (member: MemberValue): string | undefined => {
  const value = textOf(member, 'value');
  if (value === undefined) return 'must have a user id as its value';
  return isNestedGroup(member)
    ? `${value} has the type Group; only users can be members`
    : undefined;
};

const MAX_DETAILS = 100;
const MAX_ID = 100;

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
 * Reads the user ids in a list of members, without duplicates. Throws RefusalError INVALID_REQUEST
 * (invalidValue) with every malformed id and nested group, as the decider does for unknown ids. If the
 * tenant leaves out unknown members, malformed ids are returned.
 */
const readMembers = function* (
  given: readonly JsonValue[],
  { unknownMembers }: MemberSettings,
): Chunked<ReadMembers> {
  const details: RefusalDetail[] = [];
  const malformed = new Set<string>();
  yield* each(given, (member) => {
    const error = memberError(member);
    const id = error === undefined ? (textOf(member, 'value') ?? '') : '';
    const isUnknown = error === undefined && parseUserId(id) === undefined;
    if (isUnknown && unknownMembers === 'skip') malformed.add(id.slice(0, MAX_ID));
    else if (error !== undefined || isUnknown)
      details.push({
        path: 'members',
        message: error ?? `no user has the id ${id.slice(0, MAX_ID)}`,
      });
  });
  if (details.length > 0) return refuseMembers(details);
  return { userIds: yield* readMembersToRemove(given), malformed: [...malformed] };
};

/**
 * Reads the user ids in a list of members to remove. Invalid entries are ignored: none is a member.
 */
const readMembersToRemove = function* (given: readonly JsonValue[]): Chunked<readonly UserId[]> {
  const ids = new Set<UserId>();
  yield* each(given, (member) => {
    const id = parseUserId(textOf(member, 'value') ?? '');
    if (id !== undefined) ids.add(id);
  });
  return [...ids];
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

const removalStep = function* ({ target: { selector }, value }: PatchStep): Chunked<MemberStep> {
  if (!selector) {
    return Array.isArray(value)
      ? { op: 'remove', userIds: yield* readMembersToRemove(value as readonly JsonValue[]) }
      : { op: 'removeAll' };
  }
  const { kind, ids } = selectMembers(selector);
  if (kind === 'these') {
    const userIds = yield* readMembersToRemove([...ids].map((value) => ({ value })));
    return { op: 'remove', userIds };
  }
  return ids.size === 0
    ? { op: 'removeAll' }
    : raise(
        'INVALID_FILTER',
        'Name the members to remove, for example members[value eq "…"]. A filter cannot remove all members except some.',
      );
};

const memberStep = function* (
  step: PatchStep,
  settings: MemberSettings,
): Chunked<{ readonly step: MemberStep; readonly malformed?: readonly string[] }> {
  const { op, target, value } = step;
  if (target.subAttribute || (target.selector && op !== 'remove')) {
    return refuseMutability('Members cannot be changed. Add or remove users instead.');
  }
  if (op === 'remove') return { step: yield* removalStep(step) };
  const given = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  const { userIds, malformed } = yield* readMembers(given, settings);
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

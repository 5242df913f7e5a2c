import type { GroupMember, MemberQuery } from '../api/groups.js';
import type { Group } from '../domain/group.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { MEMBERS } from './group-schema.js';
import { presentGroupHead, presentMember } from './present-group.js';
import { asksFor, asksForPart, type Projection, project } from './projection.js';
import type { ScimRequest } from './scim-request.js';
import { type JsonPart, primed, type StreamedJson, withBatches } from './streamed-json.js';

/** How groups are answered: to whom, and which part of them. */
export interface GroupAnswer {
  readonly request: ScimRequest;
  readonly projection: Projection;
}

/** Members that are held in memory at once; longer lists are read while they are written. */
const MOST_HELD = 1_000;

/** After a dry run nobody can be told who would be a member: they are read from what is there. */
const asksForMembers = ({ request, projection }: GroupAnswer): boolean =>
  !request.isDryRun && asksFor(projection, MEMBERS.name);

/** Names are somebody else's attribute, one more look-up for each member: only on request. */
export const asksForNames = (projection: Projection): boolean =>
  projection.kind === 'only' && asksForPart(projection, MEMBERS.name, 'display');

const queryOf = ({ projection }: GroupAnswer): MemberQuery => ({
  withNames: asksForNames(projection),
});

const headOf = (group: Group, { request, projection }: GroupAnswer): JsonObject =>
  project(presentGroupHead(group, request.base), projection);

const membersOf = (
  members: readonly GroupMember[],
  { request, projection }: GroupAnswer,
): readonly JsonObject[] => {
  const shown = members.map((member) => presentMember(request.base, member));
  const { members: asked = [] } = project({ members: shown }, projection);
  return asked as readonly JsonValue[] as readonly JsonObject[];
};

async function* shownInBatches(group: Group, answer: GroupAnswer) {
  for await (const batch of answer.request.groups.members(group, queryOf(answer))) {
    yield membersOf(batch, answer);
  }
}

const streamed = (group: Group, answer: GroupAnswer): StreamedJson =>
  withBatches(headOf(group, answer), MEMBERS.name, shownInBatches(group, answer));

const held = async (
  groups: readonly Group[],
  answer: GroupAnswer,
): Promise<readonly JsonObject[]> => {
  const members = await answer.request.groups.membersOfAll(groups, queryOf(answer));
  return groups.map((group) => ({
    ...headOf(group, answer),
    members: membersOf(members.get(group.id) ?? [], answer),
  }));
};

/** Groups next to each other that have few members together; one that has many, by itself. */
const packed = (groups: readonly Group[]): readonly (readonly Group[])[] => {
  const packs: Group[][] = [];
  let room = 0;
  for (const group of groups) {
    room -= group.memberCount;
    const last = packs.at(-1);
    if (last && room >= 0) last.push(group);
    else {
      packs.push([group]);
      room = MOST_HELD - group.memberCount;
    }
  }
  return packs;
};

/** Whether so many groups can be answered in one piece. */
export const canHold = (groups: readonly Group[], answer: GroupAnswer): boolean =>
  !asksForMembers(answer) ||
  groups.reduce((sum, { memberCount }) => sum + memberCount, 0) <= MOST_HELD;

/** Groups that can be held, whole. */
export const presentHeld = async (
  groups: readonly Group[],
  answer: GroupAnswer,
): Promise<readonly JsonObject[]> =>
  asksForMembers(answer) ? held(groups, answer) : groups.map((group) => headOf(group, answer));

/** Any number of groups with any number of members, one after the other; memory stays flat. */
export async function* presentOneByOne(
  groups: readonly Group[],
  answer: GroupAnswer,
): AsyncGenerator<JsonPart, void, undefined> {
  for (const pack of packed(groups)) {
    const [first] = pack;
    if (first && !canHold(pack, answer)) yield streamed(first, answer);
    else yield* await presentHeld(pack, answer);
  }
}

/** One group; a long one once the first of its members are read. */
export const presentGroup = async (group: Group, answer: GroupAnswer): Promise<JsonPart> => {
  if (!canHold([group], answer)) return primed(streamed(group, answer));
  const [resource] = await presentHeld([group], answer);
  return resource ?? {};
};

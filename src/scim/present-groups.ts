import type { GroupMember, MemberQuery } from '../api/groups.js';
import type { Group } from '../domain/group/group.js';
import type { JsonObject, JsonValue } from '../domain/kernel/json.js';
import { GROUP, MEMBERS } from './group-schema.js';
import { userLocation } from './present-user.js';
import { includesAttribute, includesSubAttribute, project, type Projection } from './projection.js';
import type { ScimRequest } from './scim-request.js';
import { type JsonBody, startStream, type StreamedJson, withBatches } from './streamed-json.js';

const SCHEMAS = [GROUP.urn];

export const groupLocation = (base: string, id: string): string => `${base}${GROUP.endpoint}/${id}`;

/** A member in SCIM format (RFC 7643, 4.2), with `display` if the name was loaded. */
const presentMember = (base: string, { userId, displayName }: GroupMember): JsonObject => ({
  value: userId,
  $ref: userLocation(base, userId),
  ...(displayName !== null && { display: displayName }),
  type: 'User',
});

/** A group in SCIM format without its members, which may not fit in memory (RFC 7643, 4.2). */
const presentGroupWithoutMembers = (
  { id, displayName, externalId, version, createdAt, updatedAt }: Group,
  base: string,
): JsonObject => ({
  schemas: SCHEMAS,
  id,
  displayName,
  ...(externalId !== null && { externalId }),
  meta: {
    resourceType: GROUP.name,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: groupLocation(base, id),
    version: `W/"${version}"`,
  },
});

/** The request and the requested attributes. */
export interface GroupPresentation {
  readonly request: ScimRequest;
  readonly projection: Projection;
}

/** Maximum number of members in memory; longer lists are streamed. */
const MAX_BUFFERED_MEMBERS = 1_000;

/** A dry run omits members: they are read from the database, which it does not change. */
const includesMembers = ({ request, projection }: GroupPresentation): boolean =>
  !request.isDryRun && includesAttribute(projection, MEMBERS.name);

/** Members' names need one more lookup per member, so they are returned only on request. */
export const includesMemberNames = (projection: Projection): boolean =>
  projection.kind === 'only' && includesSubAttribute(projection, MEMBERS.name, 'display');

const queryOf = ({ projection }: GroupPresentation): MemberQuery => ({
  withNames: includesMemberNames(projection),
});

const presentWithoutMembers = (
  group: Group,
  { request, projection }: GroupPresentation,
): JsonObject => project(presentGroupWithoutMembers(group, request.base), projection);

const membersOf = (
  members: readonly GroupMember[],
  { request, projection }: GroupPresentation,
): readonly JsonObject[] => {
  const shown = members.map((member) => presentMember(request.base, member));
  const { members: projected = [] } = project({ members: shown }, projection);
  return projected as readonly JsonValue[] as readonly JsonObject[];
};

async function* memberBatches(group: Group, presentation: GroupPresentation) {
  for await (const batch of presentation.request.groups.members(group, queryOf(presentation))) {
    yield membersOf(batch, presentation);
  }
}

const streamGroup = (group: Group, presentation: GroupPresentation): StreamedJson =>
  withBatches(
    presentWithoutMembers(group, presentation),
    MEMBERS.name,
    memberBatches(group, presentation),
  );

const withMembers = async (
  groups: readonly Group[],
  presentation: GroupPresentation,
): Promise<readonly JsonObject[]> => {
  const members = await presentation.request.groups.membersOfAll(groups, queryOf(presentation));
  return groups.map((group) => ({
    ...presentWithoutMembers(group, presentation),
    members: membersOf(members.get(group.id) ?? [], presentation),
  }));
};

/**
 * Groups adjacent groups up to the maximum number of members; a large group is alone in its batch.
 */
const inBatches = (groups: readonly Group[]): readonly (readonly Group[])[] => {
  const batches: Group[][] = [];
  let capacity = 0;
  for (const group of groups) {
    capacity -= group.memberCount;
    const last = batches.at(-1);
    if (last && capacity >= 0) last.push(group);
    else {
      batches.push([group]);
      capacity = MAX_BUFFERED_MEMBERS - group.memberCount;
    }
  }
  return batches;
};

/** Whether these groups fit in memory. */
export const canBuffer = (groups: readonly Group[], presentation: GroupPresentation): boolean =>
  !includesMembers(presentation) ||
  groups.reduce((sum, { memberCount }) => sum + memberCount, 0) <= MAX_BUFFERED_MEMBERS;

/** Presents groups that fit in memory. */
export const presentBuffered = async (
  groups: readonly Group[],
  presentation: GroupPresentation,
): Promise<readonly JsonObject[]> =>
  includesMembers(presentation)
    ? withMembers(groups, presentation)
    : groups.map((group) => presentWithoutMembers(group, presentation));

/** Presents any number of groups of any size in constant memory. */
export async function* streamGroups(
  groups: readonly Group[],
  presentation: GroupPresentation,
): AsyncGenerator<JsonBody, void, undefined> {
  for (const batch of inBatches(groups)) {
    const [first] = batch;
    if (first && !canBuffer(batch, presentation)) yield streamGroup(first, presentation);
    else yield* await presentBuffered(batch, presentation);
  }
}

/** Presents one group. A large one is streamed, and resolves once its first members are read. */
export const presentGroup = async (
  group: Group,
  presentation: GroupPresentation,
): Promise<JsonBody> => {
  if (!canBuffer([group], presentation)) return startStream(streamGroup(group, presentation));
  const [resource] = await presentBuffered([group], presentation);
  return resource ?? {};
};

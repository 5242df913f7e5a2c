import type { CommandOf } from '../domain/commands.js';
import type { Chunked } from '../domain/kernel/chunked.js';
import type { GroupMember, MemberQuery, GroupReader } from '../ports/users.js';
import type { Group } from '../domain/group/group.js';
import type { JsonObject, JsonValue } from '../domain/kernel/json.js';
import { GROUP, MEMBERS } from './schemas.js';
import { userLocation, type UserPageQuery } from './user-operations.js';
import { includesAttribute, includesSubAttribute, project, type Projection } from './projection.js';
import {
  type ScimRequest,
  type ResourceOperations,
  type ScimResponse,
  submitCommand,
  submitGroupCommand,
} from './scim-request.js';
import {
  type JsonBody,
  startStream,
  type StreamedJson,
  withBatches,
  listEnvelope,
  listResponse,
  type PagePosition,
  withParts,
} from './responses.js';
import { pageCursors, type ListQuery, projectionFrom, readListQuery } from './list-query.js';
import type { GroupId } from '../domain/kernel/ids.js';
import { raise } from '../domain/kernel/refusals.js';
import { runCooperatively } from '../pipeline/loop-scheduler.js';
import { newId } from '../pipeline/submit.js';
import { GROUP_COMMANDS, groupIdFrom } from './resource-commands.js';

const SCHEMAS = [GROUP.urn];

const groupLocation = (base: string, id: string): string => `${base}${GROUP.endpoint}/${id}`;

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
const includesMemberNames = (projection: Projection): boolean =>
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
const presentGroup = async (group: Group, presentation: GroupPresentation): Promise<JsonBody> => {
  if (!canBuffer([group], presentation)) return startStream(streamGroup(group, presentation));
  const [resource] = await presentBuffered([group], presentation);
  return resource ?? {};
};

export const pageOfGroups = (
  { caller, groups }: ScimRequest,
  { filter, sort, startIndex, count, cursorRequest }: UserPageQuery,
): ReturnType<GroupReader['page']> =>
  groups.page(caller.tenant.id, {
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(cursorRequest && { cursorRequest }),
    offset: startIndex - 1,
    limit: count,
  });

/** A page of groups, streamed if their members do not fit in memory. */
const listOfGroups = async (
  groups: readonly Group[],
  presentation: GroupPresentation,
  position: PagePosition,
): Promise<JsonBody> =>
  canBuffer(groups, presentation)
    ? listResponse(await presentBuffered(groups, presentation), position)
    : startStream(
        withParts(
          listEnvelope(groups.length, position),
          'Resources',
          streamGroups(groups, presentation),
        ),
      );

/** One page of groups, for GET and for POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchGroups = async (request: ScimRequest, query: ListQuery): Promise<JsonBody> => {
  const { startIndex, projection, cursor } = query;
  const { groups, total, ...cursors } = await pageOfGroups(request, {
    ...query,
    ...(cursor && { cursorRequest: cursor.request }),
  });
  const position = cursor ? pageCursors(cursors, cursor.queryHash) : { startIndex };
  return listOfGroups(groups, { request, projection }, { total, ...position });
};

/**
 * Responds with a group. Reads the requested attributes before any command runs, so that a refused
 * request changes nothing. A group's version changes with its members, so it covers the whole
 * response (decisions.md 3) except the members' display names.
 */
const groupResponder = (request: ScimRequest): ((group: Group) => ScimResponse) => {
  const projection = projectionFrom(GROUP, request.parameters);
  return (group) => ({
    body: () => presentGroup(group, { request, projection }),
    version: group.version,
    isVolatile: includesMemberNames(projection),
    location: groupLocation(request.base, group.id),
  });
};

const selectsAttributes = ({ parameters }: ScimRequest): boolean =>
  ['attributes', 'excludedattributes'].some((name) => (parameters.get(name) ?? '') !== '');

/** Reads the command and runs it. */
const submitChange = async (
  request: ScimRequest,
  reading: Chunked<CommandOf<'group.change'>>,
): Promise<Group> => submitGroupCommand<'group.change'>(request, await runCooperatively(reading));

export const GROUP_OPERATIONS: ResourceOperations = {
  list: (request) =>
    Promise.resolve({
      body: () => searchGroups(request, readListQuery(GROUP, request.parameters)),
    }),

  create: async (request) => {
    const respond = groupResponder(request);
    const command = await runCooperatively(
      GROUP_COMMANDS.create(request.caller.tenant, newId<GroupId>(), request.body),
    );
    const group = await submitGroupCommand<'group.create'>(request, command);
    return { ...respond(group), created: true };
  },

  read: async (request) => {
    const respond = groupResponder(request);
    const group = await request.groups.find(request.caller.tenant.id, groupIdFrom(request));
    return respond(group ?? raise('GROUP_NOT_FOUND'));
  },

  replace: async (request) => {
    const respond = groupResponder(request);
    const reading = GROUP_COMMANDS.replace(request.caller.tenant, request);
    return respond(await submitChange(request, reading));
  },

  /** 204 with the new ETag, or the group if `attributes` is requested (decisions.md 3). */
  patch: async (request) => {
    const respond = groupResponder(request);
    const reading = GROUP_COMMANDS.patch(request.caller.tenant, request);
    const group = await submitChange(request, reading);
    return selectsAttributes(request) ? respond(group) : { version: group.version };
  },

  delete: async (request) => {
    await submitCommand<'group.delete'>(request, GROUP_COMMANDS.remove(request));
    return {};
  },
};

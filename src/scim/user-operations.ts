import type { CommandOf } from '../domain/commands.js';
import type { Chunked } from '../domain/kernel/chunked.js';
import type { GroupOfUser, GroupsByUser, UserPage, UserQuery } from '../ports/users.js';
import type { UserId } from '../domain/kernel/ids.js';
import type { JsonObject } from '../domain/kernel/json.js';
import {
  type CustomAttribute,
  customUrn,
  shownCustom,
} from '../domain/tenant/custom-attributes.js';
import { roleOf, type User } from '../domain/user/user.js';
import type { ResourceSchema } from './attributes.js';
import { ALL_ATTRIBUTES, includesAttribute, project, type Projection } from './projection.js';
import {
  type ScimRequest,
  type ResourceOperations,
  type ScimResponse,
  submitCommand,
} from './scim-request.js';
import { ENTERPRISE, USER } from './schemas.js';
import { userSchemaOf } from './tenant-schema.js';
import { FairSlots } from '../pipeline/fair-slots.js';
import { loopScheduler, runCooperatively } from '../pipeline/loop-scheduler.js';
import { pageCursors, type ListQuery, projectionFrom, readListQuery } from './list-query.js';
import {
  listEnvelope,
  listResponse,
  type JsonBody,
  startStream,
  withBatches,
} from './responses.js';
import { raise } from '../domain/kernel/refusals.js';
import { newId } from '../pipeline/submit.js';
import { USER_COMMANDS, userIdFrom } from './resource-commands.js';

const NO_GROUPS: GroupsByUser = new Map();

/**
 * Whether a response needs the users' groups. Not for tenants without groups. Another instance
 * notices a tenant's first group within a second, like any change of its settings.
 */
const needsGroups = ({ caller }: ScimRequest, projection: Projection): boolean =>
  caller.tenant.groupCount > 0 && includesAttribute(projection, 'groups');

/** The groups of these users, in one query; none unless the response needs them. */
const groupsOfUsers = async (
  request: ScimRequest,
  ids: readonly UserId[],
  projection: Projection,
): Promise<GroupsByUser> =>
  needsGroups(request, projection)
    ? request.groups.groupsOf(request.caller.tenant.id, ids)
    : NO_GROUPS;

/** What the presentation depends on besides the user. */
interface UserPresentation {
  /** The tenant's canonical SCIM base URL, without a trailing slash (decisions.md 1). */
  readonly base: string;
  readonly defaultRole: string;
  /** The tenant's own, if it declares one. */
  readonly extension?: {
    readonly urn: string;
    readonly attributes: readonly CustomAttribute[];
  };
}

const presentationOf = ({ base, caller: { tenant } }: ScimRequest): UserPresentation => ({
  base,
  defaultRole: tenant.defaultRole,
  ...(tenant.customAttributes.length > 0 && {
    extension: { urn: customUrn(tenant.slug), attributes: tenant.customAttributes },
  }),
});

/** The requested attributes, and the user's groups if requested. */
interface UserView {
  readonly projection?: Projection;
  readonly groups?: readonly GroupOfUser[];
}

/** Groups are never nested, so every membership is direct (RFC 7643, 4.1.2). */
const presentGroup = (base: string, { id, displayName }: GroupOfUser): JsonObject => ({
  value: id,
  $ref: `${base}/Groups/${id}`,
  display: displayName,
  type: 'direct',
});

const CORE_ONLY = [USER.urn];
const WITH_ENTERPRISE = [USER.urn, ENTERPRISE.urn];

export const userLocation = (base: string, id: string): string => `${base}${USER.endpoint}/${id}`;

/**
 * A user in SCIM format (RFC 7643, 4.1). Not by scimmy's coercion, which takes a hundred times as
 * long (scimmy facts, 9). `roles` has the effective role, without `primary`.
 *
 * @internal
 */
export const presentUser = (
  user: User,
  { base, defaultRole, extension }: UserPresentation,
  { projection = ALL_ATTRIBUTES, groups = [] }: UserView = {},
): JsonObject => {
  const { enterprise, custom: stored, ...core } = user.profile;
  const schemas = enterprise ? WITH_ENTERPRISE : CORE_ONLY;
  const custom = extension && shownCustom(extension.attributes, stored);
  const resource: JsonObject = {
    schemas: custom ? [...schemas, extension.urn] : schemas,
    id: user.id,
    ...core,
    roles: [{ value: roleOf(user, { defaultRole }) }],
    ...(groups.length > 0 && { groups: groups.map((group) => presentGroup(base, group)) }),
    ...(enterprise && { [ENTERPRISE.urn]: enterprise }),
    ...(custom && { [extension.urn]: custom }),
    meta: {
      resourceType: USER.name,
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: userLocation(base, user.id),
      version: `W/"${user.version}"`,
    },
  };
  return project(resource, projection);
};

/** Maximum number of users in memory: a page of the default size. Larger pages are streamed. */
export const MAX_BUFFERED_USERS = 100;

/** More users than these take their turn, because many pages may be read at the same time. */
const MAX_AT_ONCE = 10;

/** Large pages that are read at the same time, over all tenants and of one: they occupy the database. */
const largePages = new FairSlots({ overall: 2, perKey: 1 });

/** Presents users. Their groups, unless they are known, are loaded in one query. */
export const presentUsers = async (
  request: ScimRequest,
  { users, groupsByUser }: Pick<UserPage, 'users' | 'groupsByUser'>,
  projection: Projection,
): Promise<readonly JsonObject[]> => {
  const ids = users.map(({ id }) => id);
  const groups = groupsByUser ?? (await groupsOfUsers(request, ids, projection));
  if (users.length > MAX_AT_ONCE) await loopScheduler.entered(request.caller.tenant.id);
  const presentation = presentationOf(request);
  return users.map((user) =>
    presentUser(user, presentation, { projection, groups: groups.get(user.id) ?? [] }),
  );
};

/**
 * Presents users in batches: building a page of a thousand at once would block other requests and
 * take several times its size in memory.
 */
export async function* presentUsersInBatches(
  request: ScimRequest,
  users: readonly User[],
  projection: Projection,
): AsyncGenerator<readonly JsonObject[], void, undefined> {
  for (let at = 0; at < users.length; at += MAX_BUFFERED_USERS)
    yield await presentUsers(
      request,
      { users: users.slice(at, at + MAX_BUFFERED_USERS) },
      projection,
    );
}

const schemaFor = ({ caller }: ScimRequest): ResourceSchema => userSchemaOf(caller.tenant);

/** The part of a query that selects the page. */
export type UserPageQuery = Omit<ListQuery, 'projection' | 'cursor'> &
  Pick<UserQuery, 'cursorRequest' | 'withGroups'>;

export const pageOfUsers = (
  { caller, users }: ScimRequest,
  { filter, sort, startIndex, count, cursorRequest, withGroups }: UserPageQuery,
): Promise<UserPage> => {
  const { id, defaultRole } = caller.tenant;
  const read = () =>
    users.page(id, {
      ...(filter && { filter }),
      ...(sort && { sort }),
      ...(cursorRequest && { cursorRequest }),
      ...(withGroups !== undefined && { withGroups }),
      defaultRole,
      offset: startIndex - 1,
      limit: count,
    });
  return count > MAX_BUFFERED_USERS
    ? largePages.run(id, new AbortController().signal, read)
    : read();
};

/** One page of users, for GET and for POST to `.search` (RFC 7644, 3.4.2 and 3.4.3). */
export const searchUsers = async (request: ScimRequest, query: ListQuery): Promise<JsonBody> => {
  const { startIndex, projection, cursor } = query;
  const { users, total, groupsByUser, ...cursors } = await pageOfUsers(request, {
    ...query,
    ...(cursor && { cursorRequest: cursor.request }),
    withGroups: needsGroups(request, projection),
  });
  const position = cursor ? pageCursors(cursors, cursor.queryHash) : { startIndex };
  const page = { total, ...position };
  if (users.length <= MAX_BUFFERED_USERS) {
    const known = { users, ...(groupsByUser && { groupsByUser }) };
    return listResponse(await presentUsers(request, known, projection), page);
  }
  const batches = presentUsersInBatches(request, users, projection);
  return startStream(withBatches(listEnvelope(users.length, page), 'Resources', batches));
};

/** A user, with their groups if they were read along. */
interface FoundUser {
  readonly user: User;
  readonly groups?: readonly GroupOfUser[];
}

type PresentFound = (found: FoundUser, options?: { readonly created: true }) => ScimResponse;

/** Reads the requested attributes before any command runs, so that a refused request changes nothing. */
const userPresenter = (request: ScimRequest, projection: Projection): PresentFound => {
  const isVolatile = includesAttribute(projection, 'groups');
  return ({ user, groups = [] }, options) => ({
    ...options,
    body: () => presentUser(user, presentationOf(request), { projection, groups }),
    version: user.version,
    isVolatile,
    location: userLocation(request.base, user.id),
  });
};

/**
 * Responds with a changed user. Their groups are read in parallel: among the commands on a user only
 * deletion changes them.
 */
const respondWithChanged = async (
  request: ScimRequest,
  reading: Chunked<CommandOf<'user.replace' | 'user.patch'>>,
): Promise<ScimResponse> => {
  const command = await runCooperatively(reading);
  const projection = projectionFrom(schemaFor(request), request.parameters);
  const present = userPresenter(request, projection);
  const { userId } = command;
  const [user, groups] = await Promise.all([
    submitCommand<'user.replace' | 'user.patch'>(request, command),
    groupsOfUsers(request, [userId], projection),
  ]);
  return present({ user, groups: groups.get(userId) ?? [] });
};

const readUserWithGroups = async (request: ScimRequest): Promise<ScimResponse> => {
  const projection = projectionFrom(schemaFor(request), request.parameters);
  const { users, caller } = request;
  const id = userIdFrom(request);
  const found = needsGroups(request, projection)
    ? await users.findWithGroups(caller.tenant.id, id)
    : await users.find(caller.tenant.id, id).then((user) => user && { user });
  return userPresenter(request, projection)(found ?? raise('USER_NOT_FOUND'));
};

export const USER_OPERATIONS: ResourceOperations = {
  list: (request) =>
    Promise.resolve({
      body: () => searchUsers(request, readListQuery(schemaFor(request), request.parameters)),
    }),

  create: async (request) => {
    const projection = projectionFrom(schemaFor(request), request.parameters);
    const present = userPresenter(request, projection);
    const userId = newId<UserId>();
    const command = await runCooperatively(
      USER_COMMANDS.create(request.caller.tenant, userId, request.body),
    );
    const user = await submitCommand<'user.create'>(request, command);
    // A new user is in no group.
    const isNew = user.id === userId;
    const groups = isNew ? undefined : await groupsOfUsers(request, [user.id], projection);
    return present({ user, groups: groups?.get(user.id) ?? [] }, { created: true });
  },

  read: readUserWithGroups,

  replace: (request) =>
    respondWithChanged(request, USER_COMMANDS.replace(request.caller.tenant, request)),

  patch: (request) =>
    respondWithChanged(request, USER_COMMANDS.patch(request.caller.tenant, request)),

  delete: async (request) => {
    await submitCommand<'user.delete'>(request, USER_COMMANDS.remove(request));
    return {};
  },
};

import type { Group } from '../domain/group.js';
import { type GroupId, parseGroupId, type RoomId } from '../domain/ids.js';
import { raise } from '../domain/refusals.js';
import { inTurns } from '../pipeline/in-turns.js';
import { newId } from '../pipeline/new-id.js';
import { submitCommand, submitGroupCommand } from './submit-command.js';
import { GROUP } from './group-schema.js';
import { projectionFrom, readListQuery } from './list-query.js';
import { groupLocation } from './present-group.js';
import { includesMemberNames, presentGroup } from './present-groups.js';
import { ALL_ATTRIBUTES, type Projection } from './projection.js';
import { readGroup, readGroupPatch, readGroupReplacement } from './read-group.js';
import type { ScimRequest, Told } from './scim-request.js';
import { declareResource, LibraryResource, librarySchema } from './scimmy.js';
import { searchGroups } from './search-groups.js';
import type { JsonPart } from './streamed-json.js';

const raiseGroupNotFound = (): never => raise('GROUP_NOT_FOUND', 'No group has this id.');

/**
 * A group's version changes with its members, so it covers the whole response (decisions.md 3)
 * except the members' display names.
 */
const metaOf = ({ version }: Group, projection: Projection): Told => ({
  version,
  isWhole: !includesMemberNames(projection),
});

/**
 * Responds with a group. Reads the requested attributes before any command runs, so that a refused
 * request changes nothing.
 */
const groupResponder = (request: ScimRequest): ((group: Group) => Promise<JsonPart>) => {
  const projection = projectionFrom(GROUP, request.parameters);
  return async (group) => {
    const location = groupLocation(request.base, group.id);
    return request.tell({ ...metaOf(group, projection), location })
      ? presentGroup(group, { request, projection })
      : {};
  };
};

const createGroup = async (request: ScimRequest, body: unknown): Promise<JsonPart> => {
  const respond = groupResponder(request);
  const { members = [], ...attributes } = await inTurns(readGroup(body));
  const ids = { groupId: newId<GroupId>(), roomId: newId<RoomId>() };
  const command = { type: 'group.create', ...ids, ...attributes, members } as const;
  const group = await submitGroupCommand<'group.create'>(request, command);
  return respond(group);
};

const selectsAttributes = ({ parameters }: ScimRequest): boolean =>
  ['attributes', 'excludedattributes'].some((name) => (parameters.get(name) ?? '') !== '');

/** Groups, as scimmy's router serves them; see UserResource. */
class GroupResource extends LibraryResource {
  static get endpoint(): string {
    return GROUP.endpoint;
  }

  static get schema(): unknown {
    return librarySchema('Group');
  }

  constructor(id?: unknown) {
    super();
    if (typeof id === 'string') this.id = id;
  }

  async read(request: ScimRequest): Promise<JsonPart> {
    if (this.id === undefined) {
      return searchGroups(request, readListQuery(GROUP, request.parameters));
    }
    const respond = groupResponder(request);
    const group = await request.groups.find(request.caller.tenant.id, this.groupId());
    return respond(group ?? raiseGroupNotFound());
  }

  async write(body: unknown, request: ScimRequest): Promise<JsonPart> {
    if (this.id === undefined) return createGroup(request, body);
    const respond = groupResponder(request);
    const target = this.target(request);
    const change = await inTurns(readGroupReplacement(body, request.caller.tenant.scim));
    const command = { type: 'group.change', ...target, ...change } as const;
    return respond(await submitGroupCommand<'group.change'>(request, command));
  }

  /** 204 with the new ETag, or the group if `attributes` is requested (decisions.md 3). */
  async patch(body: unknown, request: ScimRequest): Promise<JsonPart | undefined> {
    const respond = groupResponder(request);
    const target = this.target(request);
    const change = await inTurns(readGroupPatch(body, target.groupId));
    const command = { type: 'group.change', ...target, ...change } as const;
    const group = await submitGroupCommand<'group.change'>(request, command);
    if (selectsAttributes(request)) return respond(group);
    request.tell(metaOf(group, ALL_ATTRIBUTES));
    return undefined;
  }

  async dispose(request: ScimRequest): Promise<void> {
    const command = { type: 'group.delete', ...this.target(request) } as const;
    await submitCommand<'group.delete'>(request, command);
  }

  /** Throws GROUP_NOT_FOUND if the id is malformed. */
  private groupId(): GroupId {
    return parseGroupId(this.id ?? '') ?? raiseGroupNotFound();
  }

  private target({ ifMatch }: ScimRequest) {
    return { groupId: this.groupId(), ...(ifMatch !== undefined && { ifMatch }) };
  }
}

/** Registers groups with scimmy's router. Idempotent. */
export const declareGroups = (): void => declareResource(GroupResource, GROUP.name);

import type { Group } from '../domain/group.js';
import { type GroupId, parseGroupId, type RoomId } from '../domain/ids.js';
import { raise } from '../domain/refusals.js';
import { inTurns } from '../pipeline/in-turns.js';
import { newId } from '../pipeline/new-id.js';
import { carryOut, carryOutOnGroup } from './carry-out.js';
import { GROUP } from './group-schema.js';
import { readAskedPart, readListQuery } from './list-query.js';
import { groupLocation } from './present-group.js';
import { asksForNames, presentGroup } from './present-groups.js';
import { type Projection, WHOLE } from './projection.js';
import { readGroup, readGroupPatch, readGroupReplacement } from './read-group.js';
import type { ScimRequest, Told } from './scim-request.js';
import { declareResource, LibraryResource, librarySchema } from './scimmy.js';
import { searchGroups } from './search-groups.js';
import type { JsonPart } from './streamed-json.js';

const noSuchGroup = (): never => raise('GROUP_NOT_FOUND', 'No group has this id.');

/**
 * A group's version moves with its members, so it speaks for all of the answer (decisions.md 3) but
 * their names, which are theirs to change.
 */
const toldOf = ({ version }: Group, projection: Projection): Told => ({
  version,
  isWhole: !asksForNames(projection),
});

/**
 * How a single group is answered. What part is asked for is read at once, before any command: a
 * request that is refused changes nothing.
 */
const answerTo = (request: ScimRequest): ((group: Group) => Promise<JsonPart>) => {
  const projection = readAskedPart(GROUP, request.parameters);
  return async (group) => {
    const location = groupLocation(request.base, group.id);
    return request.tell({ ...toldOf(group, projection), location })
      ? presentGroup(group, { request, projection })
      : {};
  };
};

const createGroup = async (request: ScimRequest, body: unknown): Promise<JsonPart> => {
  const answer = answerTo(request);
  const { members = [], ...head } = await inTurns(readGroup(body));
  const ids = { groupId: newId<GroupId>(), roomId: newId<RoomId>() };
  const command = { type: 'group.create', ...ids, ...head, members } as const;
  const group = await carryOutOnGroup<'group.create'>(request, command);
  return answer(group);
};

const asksForPartOf = ({ parameters }: ScimRequest): boolean =>
  ['attributes', 'excludedattributes'].some((name) => (parameters.get(name) ?? '') !== '');

/** Groups as the library's router serves them; see the resource of users. */
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
    const answer = answerTo(request);
    const group = await request.groups.find(request.caller.tenant.id, this.groupId());
    return answer(group ?? noSuchGroup());
  }

  async write(body: unknown, request: ScimRequest): Promise<JsonPart> {
    if (this.id === undefined) return createGroup(request, body);
    const answer = answerTo(request);
    const target = this.target(request);
    const change = await inTurns(readGroupReplacement(body, request.caller.tenant.scim));
    const command = { type: 'group.change', ...target, ...change } as const;
    return answer(await carryOutOnGroup<'group.change'>(request, command));
  }

  /** 204 with the new ETag; the group where a part of it is asked for (decisions.md 3). */
  async patch(body: unknown, request: ScimRequest): Promise<JsonPart | undefined> {
    const answer = answerTo(request);
    const target = this.target(request);
    const change = await inTurns(readGroupPatch(body, target.groupId));
    const command = { type: 'group.change', ...target, ...change } as const;
    const group = await carryOutOnGroup<'group.change'>(request, command);
    if (asksForPartOf(request)) return answer(group);
    request.tell(toldOf(group, WHOLE));
    return undefined;
  }

  async dispose(request: ScimRequest): Promise<void> {
    const command = { type: 'group.delete', ...this.target(request) } as const;
    await carryOut<'group.delete'>(request, command);
  }

  /** What is no id of ours is no group's. */
  private groupId(): GroupId {
    return parseGroupId(this.id ?? '') ?? noSuchGroup();
  }

  private target({ ifMatch }: ScimRequest) {
    return { groupId: this.groupId(), ...(ifMatch !== undefined && { ifMatch }) };
  }
}

/** Has the library's router serve groups. Calling it again changes nothing. */
export const declareGroups = (): void => declareResource(GroupResource, GROUP.name);

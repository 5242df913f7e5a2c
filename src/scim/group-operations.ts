import type { Group } from '../domain/group/group.js';
import { type GroupId, parseGroupId, type RoomId } from '../domain/kernel/ids.js';
import { raise } from '../domain/kernel/refusals.js';
import { runCooperatively } from '../pipeline/loop-scheduler.js';
import { newId } from '../pipeline/submit.js';
import { GROUP } from './group-schema.js';
import { projectionFrom, readListQuery } from './list-query.js';
import { groupLocation, includesMemberNames, presentGroup } from './present-groups.js';
import { readGroup, readGroupPatch, readGroupReplacement } from './read-group.js';
import {
  type ResourceOperations,
  type ScimRequest,
  type ScimResponse,
  submitCommand,
  submitGroupCommand,
} from './scim-request.js';
import { searchGroups } from './search-groups.js';

const raiseGroupNotFound = (): never => raise('GROUP_NOT_FOUND', 'No group has this id.');

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

/** The group in the path. A malformed id gets the same 404 as an unknown one. */
const groupIdFrom = ({ resourceId = '' }: ScimRequest): GroupId =>
  parseGroupId(resourceId) ?? raiseGroupNotFound();

const targetOf = (request: ScimRequest) => ({
  groupId: groupIdFrom(request),
  ...(request.ifMatch !== undefined && { ifMatch: request.ifMatch }),
});

export const GROUP_OPERATIONS: ResourceOperations = {
  list: (request) =>
    Promise.resolve({
      body: () => searchGroups(request, readListQuery(GROUP, request.parameters)),
    }),

  create: async (request) => {
    const respond = groupResponder(request);
    const { members = [], ...attributes } = await runCooperatively(readGroup(request.body));
    const ids = { groupId: newId<GroupId>(), roomId: newId<RoomId>() };
    const command = { type: 'group.create', ...ids, ...attributes, members } as const;
    const group = await submitGroupCommand<'group.create'>(request, command);
    return { ...respond(group), created: true };
  },

  read: async (request) => {
    const respond = groupResponder(request);
    const group = await request.groups.find(request.caller.tenant.id, groupIdFrom(request));
    return respond(group ?? raiseGroupNotFound());
  },

  replace: async (request) => {
    const respond = groupResponder(request);
    const target = targetOf(request);
    const change = await runCooperatively(
      readGroupReplacement(request.body, request.caller.tenant.scim),
    );
    const command = { type: 'group.change', ...target, ...change } as const;
    return respond(await submitGroupCommand<'group.change'>(request, command));
  },

  /** 204 with the new ETag, or the group if `attributes` is requested (decisions.md 3). */
  patch: async (request) => {
    const respond = groupResponder(request);
    const target = targetOf(request);
    const change = await runCooperatively(readGroupPatch(request.body, target.groupId));
    const command = { type: 'group.change', ...target, ...change } as const;
    const group = await submitGroupCommand<'group.change'>(request, command);
    return selectsAttributes(request) ? respond(group) : { version: group.version };
  },

  delete: async (request) => {
    await submitCommand<'group.delete'>(request, { type: 'group.delete', ...targetOf(request) });
    return {};
  },
};

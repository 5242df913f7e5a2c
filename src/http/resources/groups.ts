import { z } from 'zod';
import { raise } from '../../domain/kernel/refusals.js';
import { NOT_MODIFIED } from '../../routes/responses.js';
import {
  idField,
  instantField,
  PAGE_FIELDS,
  pageOf,
  parseSort,
  sortField,
  textLike,
} from '../../routes/fields.js';
import type { GroupView } from '../../ports/rooms.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import { type GroupId, parseGroupId } from '../../domain/kernel/ids.js';
import { ListedMember, presentListed } from './members.js';
import { readRefusedGroups } from './refused-groups.js';
import type { RouteParts } from './route-parts.js';

const routing = { method: 'GET', tag: 'Groups of a tenant' } as const;
const path = '/groups';
const ofGroup = z.object({ id: idField("The group's id.") });

/** A SCIM group: the fields of events, and its current state. */
const NativeGroup = z
  .strictObject({
    id: idField("The group's id, the same as in SCIM."),
    display_name: textLike('Dispatch').describe('Unique in the tenant, ignoring case.'),
    external_id: z.string().nullable().describe('Id of the group in the identity provider.'),
    room_id: idField('Room of the group; null for a role-only group.').nullable(),
    role: z.string().nullable().describe('Role that a role mapping gives to the members, or null.'),
    member_count: z.int().min(0),
    created_at: instantField('When the group was created.'),
    updated_at: instantField('When the group or its members were last changed.'),
  })
  .meta({ id: 'Group' });

const present = ({ group, role }: GroupView) => toWire(NativeGroup, { ...group, role });

const groupIdFrom = (text: string): GroupId => parseGroupId(text) ?? raise('GROUP_NOT_FOUND');

const textFilter = () => z.string().min(1).max(256).optional();

const SORTED_BY = { created_at: 'created', display_name: 'name', updated_at: 'updated' } as const;
const Sort = sortField(['created_at', 'display_name', 'updated_at']);

const sortOf = (text: z.output<typeof Sort>) => {
  const { by, descending } = parseSort(text);
  return { by: SORTED_BY[by], descending };
};

const listGroups = ({ groupViews }: RouteParts): Route =>
  tenantRoute({
    ...routing,
    path,
    operationId: 'listTenantGroups',
    summary: "List a tenant's SCIM groups",
    description: 'Filters are combined with AND.',
    query: z.strictObject({
      ...PAGE_FIELDS,
      display_name: textFilter().describe('The group with this name, ignoring case.'),
      external_id: textFilter().describe('Groups with this external id.'),
      search: textFilter().describe('Groups with a word in their name that starts with this.'),
      sort: Sort.optional(),
    }),
    responses: {
      200: { description: 'A page of groups.', body: pageOf('groups', NativeGroup, 'GroupList') },
    },
    handler: async ({ caller: { tenant }, query }) => {
      const { sort, ...filters } = query;
      const { limit, offset } = query;
      const { groups, total } = await groupViews.page(tenant.id, {
        ...fromWire(filters),
        ...(sort && { sort: sortOf(sort) }),
      });
      return { status: 200, body: { groups: groups.map(present), total, limit, offset } };
    },
  });

const RefusedGroup = z
  .strictObject({
    display_name: textLike('Dispatch').describe('As the identity provider sent it.'),
    refused_at: instantField('When it was pushed last.'),
    command_id: idField('That entry of the provisioning log.'),
  })
  .meta({ id: 'RefusedGroup' });

const listRefusedGroups = (parts: RouteParts): Route =>
  tenantRoute({
    ...routing,
    path: `${path}/refused`,
    operationId: 'listRefusedGroups',
    summary: 'List the groups that were refused',
    description:
      'Groups that were pushed in the last 7 days, refused with ROOM_NOT_FOUND, and have no room or ' +
      'role mapping by now, newest first. A mapping with `apply_on_scim_provisioning: false` takes a ' +
      'name off this list, and the group is still refused.',
    responses: {
      200: {
        description: 'The groups.',
        body: z.strictObject({ groups: z.array(RefusedGroup) }).meta({ id: 'RefusedGroupList' }),
      },
    },
    handler: async ({ caller: { tenant } }) => {
      const { open } = await readRefusedGroups(parts, tenant.id, parts.now());
      const groups = open.map(({ id, at, subject }) =>
        toWire(RefusedGroup, { displayName: subject?.name ?? '', refusedAt: at, commandId: id }),
      );
      return { status: 200, body: { groups } };
    },
  });

const readGroup = ({ groupViews }: RouteParts): Route =>
  tenantRoute({
    ...routing,
    path: `${path}/{id}`,
    operationId: 'getTenantGroup',
    summary: 'Get a SCIM group',
    params: ofGroup,
    responses: {
      200: { description: 'The group.', body: NativeGroup, tagged: true },
      304: NOT_MODIFIED,
    },
    refusals: ['GROUP_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async ({ caller: { tenant }, params }) => {
      const view =
        (await groupViews.find(tenant.id, groupIdFrom(params.id))) ?? raise('GROUP_NOT_FOUND');
      return { status: 200, body: present(view), version: view.group.version };
    },
  });

const listMembers = ({ groupViews }: RouteParts): Route =>
  tenantRoute({
    ...routing,
    path: `${path}/{id}/members`,
    operationId: 'listTenantGroupMembers',
    summary: 'List the members of a SCIM group',
    description: 'Ordered by user id. `tx_permission` has no effect in a role-only group.',
    params: ofGroup,
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of members.',
        body: pageOf('members', ListedMember, 'RoomMemberList'),
      },
    },
    refusals: ['GROUP_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params, query: { limit, offset } }) => {
      const page = await groupViews.memberPage(tenant.id, groupIdFrom(params.id), {
        limit,
        offset,
      });
      const { members, total } = page ?? raise('GROUP_NOT_FOUND');
      return { status: 200, body: { members: members.map(presentListed), total, limit, offset } };
    },
  });

/** A tenant's SCIM groups (decisions.md 8). */
export const groupRoutes = (parts: RouteParts): readonly Route[] =>
  [listGroups, listRefusedGroups, readGroup, listMembers].map((declare) => declare(parts));

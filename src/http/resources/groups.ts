import { z } from 'zod';
import { raise } from '../../domain/kernel/refusals.js';
import {
  idField,
  instantField,
  PAGE_FIELDS,
  pageOf,
  parseSort,
  sortField,
  textFilter,
  textLike,
} from '../../routes/fields.js';
import type { GroupView } from '../../ports/rooms.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import { parseGroupId } from '../../domain/kernel/ids.js';
import { readRoutes } from '../routing/resource-routes.js';
import { ListedMember, presentListed } from './members.js';
import { readRefusedGroups } from './refused-groups.js';
import type { RouteParts } from './route-parts.js';

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

const group = readRoutes({
  noun: 'group',
  path: '/groups',
  view: NativeGroup,
  present: ({ group, role }: GroupView) => toWire(NativeGroup, { ...group, role }),
  versionOf: ({ group: { version } }: GroupView) => version,
  parse: parseGroupId,
  missing: 'GROUP_NOT_FOUND',
});

const tag = 'Groups of a tenant';
const SORTED_BY = { created_at: 'created', display_name: 'name', updated_at: 'updated' } as const;

const RefusedGroup = z
  .strictObject({
    display_name: textLike('Dispatch').describe('As the identity provider sent it.'),
    refused_at: instantField('When it was pushed last.'),
    command_id: idField('That entry of the provisioning log.'),
  })
  .meta({ id: 'RefusedGroup' });

const listRefusedGroups = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/groups/refused',
    tag,
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

/** A tenant's SCIM groups (decisions.md 8). */
export const groupRoutes = (parts: RouteParts): readonly Route[] => [
  tenantRoute({
    ...group.list({
      query: z.strictObject({
        ...PAGE_FIELDS,
        display_name: textFilter('The group with this name, ignoring case.'),
        external_id: textFilter('Groups with this external id.'),
        search: textFilter('Groups with a word in their name that starts with this.'),
        sort: sortField(SORTED_BY),
      }),
      read: (tenantId, { sort, ...filters }) =>
        parts.groupViews.page(tenantId, {
          ...fromWire(filters),
          ...(sort && { sort: parseSort(SORTED_BY, sort) }),
        }),
    }),
    operationId: 'listTenantGroups',
    tag,
    summary: "List a tenant's SCIM groups",
    description: 'Filters are combined with AND.',
  }),
  listRefusedGroups(parts),
  tenantRoute({
    ...group.get(parts.groupViews),
    operationId: 'getTenantGroup',
    tag,
    summary: 'Get a SCIM group',
  }),
  tenantRoute({
    method: 'GET',
    path: '/groups/{id}/members',
    operationId: 'listTenantGroupMembers',
    tag,
    summary: 'List the members of a SCIM group',
    description: 'Ordered by user id. `tx_permission` has no effect in a role-only group.',
    params: group.ofOne.params,
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of members.',
        body: pageOf('members', ListedMember, 'RoomMemberList'),
      },
    },
    refusals: ['GROUP_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id }, query }) => {
      const page = await parts.groupViews.memberPage(tenant.id, group.idFrom(id), query);
      const { items, total } = page ?? raise('GROUP_NOT_FOUND');
      return { status: 200, body: { members: items.map(presentListed), total, ...query } };
    },
  }),
];

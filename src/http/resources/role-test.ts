import type { NamedDirectory } from '../../ports/rooms.js';
import { nameKey } from '../../domain/kernel/names.js';
import { effectiveMapping, type RoleMapping } from '../../domain/role/role-mapping.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { z } from 'zod';
import { idField, lineField, textLike } from '../../routes/fields.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { roleOf } from '../../domain/user/user.js';
import { readUser } from '../../scim/read-user.js';
import { userSchemaOf } from '../../scim/tenant-schema.js';
import { presentRoleMapping, RoleMappingView } from './role-mappings.js';
import type { RouteParts } from './route-parts.js';

/** A mapping for one of the groups. */
interface RoleMatch {
  readonly mapping: RoleMapping;
  readonly applies: boolean;
  readonly reason: string;
}

/** A group as the identity provider would push it. */
interface TestedGroup {
  readonly displayName: string;
  readonly exists: boolean;
  readonly room: { readonly id: string; readonly name: string } | null;
  /** What pushing the group would run into. */
  readonly problem: string | null;
  /** Whether pushing it would be refused. */
  readonly isRefused: boolean;
}

interface RoleTest {
  readonly role: string;
  readonly mapping: RoleMapping | null;
  readonly matches: readonly RoleMatch[];
  readonly groups: readonly TestedGroup[];
}

/** The role and rooms of a user in groups with these names, by the rules of provisioning. */
const testRoles = (
  tenant: Pick<Tenant, 'defaultRole' | 'roomProvisioning'>,
  names: readonly string[],
  { mappings, groups, rooms }: NamedDirectory,
): RoleTest => {
  const groupOf = new Map(groups.map((group) => [nameKey(group.displayName), group]));
  const roomById = new Map(rooms.map((room) => [room.id as string, room]));
  const roomByName = new Map(rooms.map((room) => [nameKey(room.name), room]));
  const mappingOf = new Map(mappings.map((one) => [nameKey(one.groupDisplayName), one]));
  const mappedRooms = new Set(groups.flatMap(({ roomId }) => roomId ?? []));

  const testGroup = (displayName: string): TestedGroup => {
    const key = nameKey(displayName);
    const group = groupOf.get(key);
    const of = (
      room: TestedGroup['room'],
      problem: string | null = null,
      isRefused = false,
    ): TestedGroup => ({
      displayName,
      exists: group !== undefined,
      room: room && { id: room.id, name: room.name },
      problem,
      isRefused,
    });
    if (group) return of((group.roomId && roomById.get(group.roomId)) || null);
    const room = roomByName.get(key);
    if (room)
      return mappedRooms.has(room.id)
        ? of(
            null,
            `The room "${room.name}" has another SCIM group: pushing this one is refused.`,
            true,
          )
        : of(room);
    const mapping = mappingOf.get(key);
    if (mapping?.applyOnScimProvisioning) return of(null);
    return tenant.roomProvisioning === 'automatic'
      ? of(null, 'Pushing the group creates a room with its name.')
      : of(
          null,
          'No unmapped room or role mapping has this name: pushing the group is refused with ROOM_NOT_FOUND.',
          true,
        );
  };

  const tested = names.map(testGroup);
  const isRefused = new Set(
    tested.flatMap((group) => (group.isRefused ? nameKey(group.displayName) : [])),
  );
  const possible = mappings.filter(
    ({ groupDisplayName }) => !isRefused.has(nameKey(groupDisplayName)),
  );
  const winner = effectiveMapping(possible);
  const reasonOf = (mapping: RoleMapping): string => {
    if (mapping.id === winner?.id)
      return possible.length === 1
        ? 'The only mapping for these groups.'
        : 'It comes first: the lowest priority number wins; if equal, the older mapping.';
    if (!mapping.applyOnScimProvisioning) return '"Apply on SCIM provisioning" is off.';
    if (isRefused.has(nameKey(mapping.groupDisplayName))) return 'Pushing the group is refused.';
    return `The mapping of "${winner?.groupDisplayName ?? ''}" comes first.`;
  };
  const inOrder = [...mappings].sort(
    (one, other) =>
      Number(other.id === winner?.id) - Number(one.id === winner?.id) ||
      one.priority - other.priority ||
      one.createdAt.getTime() - other.createdAt.getTime(),
  );
  return {
    role: winner?.role ?? tenant.defaultRole,
    mapping: winner ?? null,
    matches: inOrder.map((mapping) => ({
      mapping,
      applies: mapping.id === winner?.id,
      reason: reasonOf(mapping),
    })),
    groups: tested,
  };
};

const MAX_GROUPS = 200;
const BODY_LIMIT = 64 * 1_024;

const RoleTestInput = z
  .strictObject({
    user: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A SCIM user, checked like the body of POST /Users.'),
    groups: z
      .array(lineField(256))
      .max(MAX_GROUPS)
      .describe('Display names of the groups that the user is in.'),
  })
  .meta({
    id: 'RoleTestInput',
    examples: [{ user: { userName: 'ada@example.com' }, groups: ['Dispatch', 'Leads'] }],
  });

const Room = z.strictObject({ id: idField("The room's id."), name: z.string() });

const RoleTestView = z
  .strictObject({
    role: z.string().describe('The role that the user would have.'),
    mapping: RoleMappingView.nullable().describe('The mapping that gives it; null: the default.'),
    default_role: z.string(),
    matches: z
      .array(
        z.strictObject({
          id: idField("The mapping's id."),
          group_display_name: z.string(),
          role: z.string(),
          priority: z.int(),
          applies: z.boolean().describe('Whether it gives the role.'),
          reason: textLike('The only mapping for these groups.'),
        }),
      )
      .describe('The mappings for these groups; the one that gives the role comes first.'),
    rooms: z.array(Room).describe('The rooms that the user would be in.'),
    groups: z.array(
      z.strictObject({
        display_name: textLike('Dispatch'),
        exists: z.boolean().describe('Whether the tenant has this SCIM group.'),
        room: Room.nullable(),
        problem: z.string().nullable().describe('What pushing the group would run into.'),
      }),
    ),
    user: z
      .strictObject({ id: idField("The user's id."), role: z.string().describe('Role today.') })
      .nullable()
      .describe('The existing user with this user name; null if there is none.'),
  })
  .meta({ id: 'RoleTest' });

/** Each name once, ignoring case. */
const unique = (names: readonly string[]): readonly string[] => [
  ...new Map(names.map((name) => [nameKey(name), name])).values(),
];

/** What provisioning would make of a user in some groups. */
export const roleTestRoutes = ({ roleMappings, explain }: RouteParts): readonly Route[] => [
  tenantRoute({
    method: 'POST',
    path: '/role-mappings/test',
    operationId: 'testRoleMappings',
    tag: 'Role mappings',
    summary: 'Test role mappings',
    description:
      'Shows the role and the rooms of a user in these groups, and which mapping decides. Groups need ' +
      'not exist. Changes nothing. To see which users a change of a mapping affects, send the change with ' +
      '`Prefer: dry-run`.',
    role: 'auditor',
    body: RoleTestInput,
    bodyLimit: BODY_LIMIT,
    responses: { 200: { description: 'The result.', body: RoleTestView } },
    handler: async ({ caller: { tenant }, body: { user, groups } }) => {
      const names = unique(groups);
      const profile = user && readUser(user, userSchemaOf(tenant));
      const [directory, found] = await Promise.all([
        roleMappings.named(tenant.id, names),
        profile && explain.findUser(tenant.id, profile.userName),
      ]);
      const tested = testRoles(tenant, names, directory);
      const existing = found && found.deletedAt === null ? found.user : undefined;
      const body: z.output<typeof RoleTestView> = {
        role: tested.role,
        mapping: tested.mapping && presentRoleMapping(tested.mapping),
        default_role: tenant.defaultRole,
        matches: tested.matches.map(({ mapping, applies, reason }) => ({
          id: mapping.id,
          group_display_name: mapping.groupDisplayName,
          role: mapping.role,
          priority: mapping.priority,
          applies,
          reason,
        })),
        rooms: tested.groups.flatMap(({ room }) => room ?? []),
        groups: tested.groups.map(({ displayName, exists, room, problem }) => ({
          display_name: displayName,
          exists,
          room,
          problem,
        })),
        user: existing ? { id: existing.id, role: roleOf(existing, tenant) } : null,
      };
      return { status: 200, body };
    },
  }),
];

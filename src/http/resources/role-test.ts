import { nameKey } from '../../domain/kernel/names.js';
import { testRoles } from '../../explain/test-roles.js';
import { z } from 'zod';
import { idField, lineField, textLike } from '../../routes/fields.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { roleOf } from '../../domain/user/user.js';
import { readUser } from '../../scim/read-user.js';
import { userSchemaOf } from '../../scim/tenant-schema.js';
import { toWire } from '../../routes/wire.js';
import { RoleMappingView } from './role-mappings.js';
import type { RouteParts } from './route-parts.js';

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
      const existing = found?.deletedAt === null ? found.user : undefined;
      const body = toWire(RoleTestView, {
        ...tested,
        mapping: tested.mapping && { ...tested.mapping, source: 'scim' },
        defaultRole: tenant.defaultRole,
        user: existing ? { id: existing.id, role: roleOf(existing, tenant) } : null,
      });
      return { status: 200, body };
    },
  }),
];

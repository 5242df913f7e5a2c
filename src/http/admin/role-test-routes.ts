import { z } from 'zod';
import type { ExplainReader } from '../../api/explain.js';
import { idField, lineField } from '../../api/fields.js';
import type { RoleMappingReader } from '../../api/role-mappings.js';
import { operatorRoute, type Route } from '../../api/route.js';
import type { TenantReader } from '../../api/tenants.js';
import { fold } from '../../domain/kernel/names.js';
import { roleOf } from '../../domain/user/user.js';
import { readUser } from '../../scim/read-user.js';
import { presentRoleMapping, RoleMappingView } from './role-mapping-view.js';
import { testRoles } from './role-test.js';
import { SLUG_PARAM, tenantBySlug } from './tenant-by-slug.js';

export interface RoleTestRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly roleMappings: Pick<RoleMappingReader, 'named'>;
  readonly explain: Pick<ExplainReader, 'findUser'>;
}

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
          reason: z.string(),
        }),
      )
      .describe('The mappings for these groups; the one that gives the role comes first.'),
    rooms: z.array(Room).describe('The rooms that the user would be in.'),
    groups: z.array(
      z.strictObject({
        display_name: z.string(),
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
  .meta({
    id: 'RoleTest',
    examples: [
      {
        role: 'dispatcher',
        mapping: {
          id: '51d18237-2fd8-4398-9cbb-bd502364ee0d',
          group_display_name: 'Dispatch',
          role: 'dispatcher',
          source: 'scim',
          apply_on_scim_provisioning: true,
          priority: 10,
          created_at: '2026-01-31T12:00:00.000Z',
        },
        default_role: 'member',
        matches: [
          {
            id: '51d18237-2fd8-4398-9cbb-bd502364ee0d',
            group_display_name: 'Dispatch',
            role: 'dispatcher',
            priority: 10,
            applies: true,
            reason: 'The only mapping for these groups.',
          },
        ],
        rooms: [{ id: '1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f', name: 'Dispatch' }],
        groups: [
          {
            display_name: 'Dispatch',
            exists: true,
            room: { id: '1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f', name: 'Dispatch' },
            problem: null,
          },
        ],
        user: null,
      },
    ],
  });

/** Each name once, ignoring case. */
const unique = (names: readonly string[]): readonly string[] => [
  ...new Map(names.map((name) => [fold(name), name])).values(),
];

/** What provisioning would make of a user in some groups. */
export const roleTestRoutes = ({
  tenants,
  roleMappings,
  explain,
}: RoleTestRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/tenants/{slug}/role-mappings/test',
    operationId: 'testRoleMappings',
    tag: 'Role mappings',
    summary: 'Test role mappings',
    description:
      'Shows the role and the rooms of a user in these groups, and which mapping decides. Groups need ' +
      'not exist. Changes nothing. To see which users a change of a mapping affects, send the change with ' +
      '`Prefer: dry-run`.',
    role: 'auditor',
    params: z.object(SLUG_PARAM),
    body: RoleTestInput,
    bodyLimit: BODY_LIMIT,
    responses: { 200: { description: 'The result.', body: RoleTestView } },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, body: { user, groups } }) => {
      const tenant = await tenantBySlug(tenants, slug);
      const names = unique(groups);
      const profile = user && readUser(user);
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

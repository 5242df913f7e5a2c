import { z } from 'zod';
import {
  changesOf,
  identifierField,
  idField,
  instantField,
  PAGE_FIELDS,
  textFilter,
} from '../../routes/fields.js';
import { MAX_PRIORITY, type RoleMapping } from '../../domain/role/role-mapping.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import { parseRoleMappingId, type RoleMappingId } from '../../domain/kernel/ids.js';
import { newId } from '../../pipeline/submit.js';
import { resourceRoutes } from '../routing/resource-routes.js';
import type { RouteParts } from './route-parts.js';

const fields = {
  group_display_name: identifierField(256).describe(
    'Display name of the SCIM group, which may not exist yet. Unique, ignoring case.',
  ),
  role: identifierField(64).describe('Role of the members of the group.'),
  apply_on_scim_provisioning: z
    .boolean()
    .describe(
      'If false, the mapping has no effect, except that a refused group of its name is ignored: it ' +
        'needs no attention.',
    ),
  priority: z
    .int()
    .min(0)
    .max(MAX_PRIORITY)
    .describe('If several groups match, the lowest priority number wins.'),
};

/** A role mapping (decisions.md 5). */
export const RoleMappingView = z
  .strictObject({
    id: idField("The mapping's id."),
    ...fields,
    source: z.literal('scim'),
    created_at: instantField('When the mapping was created.'),
  })
  .meta({ id: 'RoleMapping' });

const NewRoleMapping = z
  .strictObject({
    ...fields,
    role: fields.role
      .optional()
      .describe("Role of the members of the group; absent: the tenant's default role."),
    apply_on_scim_provisioning: fields.apply_on_scim_provisioning.default(true),
    priority: fields.priority.default(100),
  })
  .meta({ id: 'RoleMappingInput' });

const RoleMappingChanges = changesOf(fields).meta({
  id: 'RoleMappingChanges',
  examples: [{ priority: 10 }],
});

const mapping = resourceRoutes({
  noun: 'mapping',
  path: '/role-mappings',
  view: RoleMappingView,
  present: (entity: RoleMapping) => toWire(RoleMappingView, { ...entity, source: 'scim' }),
  versionOf: ({ version }: RoleMapping) => version,
  parse: parseRoleMappingId,
  missing: 'ROLE_MAPPING_NOT_FOUND',
  target: (mappingId) => ({ mappingId }),
  commands: {
    create: 'role-mapping.create',
    update: 'role-mapping.update',
    delete: 'role-mapping.delete',
  },
});

const tag = 'Role mappings';
const ROLES_FOLLOW =
  'Emits `user.updated` for each user whose role changes; many users are updated by a job.';

/** A tenant's role mappings (decisions.md 5 and 8). */
export const roleMappingRoutes = ({ roleMappings }: RouteParts): readonly Route[] => [
  tenantRoute({
    ...mapping.create({
      body: NewRoleMapping,
      fields: (body, tenant) => ({
        mappingId: newId<RoleMappingId>(),
        ...fromWire(body),
        role: body.role ?? tenant.defaultRole,
      }),
      refusals: ['NAME_TAKEN'],
      tagged: true,
    }),
    operationId: 'createRoleMapping',
    audit: 'created a role mapping',
    tag,
    summary: 'Map a SCIM group to a role',
    description: ROLES_FOLLOW,
  }),
  tenantRoute({
    ...mapping.list({
      query: z.strictObject({
        ...PAGE_FIELDS,
        group_display_name: textFilter('The mapping for the group with this name, ignoring case.'),
      }),
      read: (tenantId, query) => roleMappings.page(tenantId, fromWire(query)),
    }),
    operationId: 'listRoleMappings',
    tag,
    summary: "List a tenant's role mappings",
    description: 'Oldest first.',
  }),
  tenantRoute({
    ...mapping.get(roleMappings),
    operationId: 'getRoleMapping',
    tag,
    summary: 'Get a role mapping',
  }),
  tenantRoute({
    ...mapping.update({
      body: RoleMappingChanges,
      fields: (target, body) => ({ ...target, ...fromWire(body) }),
      refusals: ['NAME_TAKEN'],
    }),
    operationId: 'updateRoleMapping',
    audit: 'changed a role mapping',
    tag,
    summary: 'Update a role mapping',
    description: ROLES_FOLLOW,
  }),
  tenantRoute({
    ...mapping.delete(),
    operationId: 'deleteRoleMapping',
    audit: 'deleted a role mapping',
    tag,
    summary: 'Delete a role mapping',
    description: `The group remains, without a role. ${ROLES_FOLLOW}`,
  }),
];

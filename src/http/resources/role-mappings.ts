import { z } from 'zod';
import {
  identifierField,
  idField,
  instantField,
  PAGE_FIELDS,
  pageOf,
} from '../../routes/fields.js';
import type { RoleMapping } from '../../domain/role/role-mapping.js';
import { NOT_MODIFIED } from '../../routes/responses.js';
import { tenantRoute, type Route, type RouteResponse, runCommand } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import { parseRoleMappingId, type RoleMappingId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import type { RouteParts } from './route-parts.js';

const MAX_PRIORITY = 1_000_000;

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

const RoleMappingChanges = z
  .strictObject(fields)
  .partial()
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    'must contain at least one of group_display_name, role, apply_on_scim_provisioning, priority',
  )
  .meta({ id: 'RoleMappingChanges', minProperties: 1, examples: [{ priority: 10 }] });

const presentRoleMapping = (mapping: RoleMapping) =>
  toWire(RoleMappingView, { ...mapping, source: 'scim' });

const routing = { tag: 'Role mappings' } as const;
const path = '/role-mappings';
const ofTenant = { ...routing, path };
const ofMapping = {
  ...routing,
  path: `${path}/{id}`,
  params: z.object({ id: idField("The mapping's id.") }),
};

const mappingIdFrom = (text: string): RoleMappingId =>
  parseRoleMappingId(text) ?? raise('ROLE_MAPPING_NOT_FOUND');

const respondWithMapping = (status: number, mapping: RoleMapping): RouteResponse => ({
  status,
  body: presentRoleMapping(mapping),
  version: mapping.version,
});

const ROLES_FOLLOW =
  'Emits `user.updated` for each user whose role changes; many users are updated by a job.';

const createRoleMapping = (): Route =>
  tenantRoute({
    ...ofTenant,
    method: 'POST',
    operationId: 'createRoleMapping',
    audit: 'created a role mapping',
    summary: 'Map a SCIM group to a role',
    command: 'role-mapping.create',
    description: ROLES_FOLLOW,
    body: NewRoleMapping,
    responses: { 201: { description: 'The mapping.', body: RoleMappingView, tagged: true } },
    refusals: ['NAME_TAKEN'],
    handler: async (request) => {
      const { group_display_name, role, apply_on_scim_provisioning, priority } = request.body;
      const { id, defaultRole } = request.caller.tenant;
      const mapping = await runCommand(request, id, {
        type: 'role-mapping.create',
        mappingId: newId<RoleMappingId>(),
        groupDisplayName: group_display_name,
        role: role ?? defaultRole,
        applyOnScimProvisioning: apply_on_scim_provisioning,
        priority,
      });
      return { ...respondWithMapping(201, mapping), location: `/role-mappings/${mapping.id}` };
    },
  });

const listRoleMappings = ({ roleMappings }: RouteParts): Route =>
  tenantRoute({
    ...ofTenant,
    method: 'GET',
    operationId: 'listRoleMappings',
    summary: "List a tenant's role mappings",
    description: 'Oldest first.',
    query: z.strictObject({
      ...PAGE_FIELDS,
      group_display_name: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe('The mapping for the group with this name, ignoring case.'),
    }),
    responses: {
      200: {
        description: 'A page of mappings.',
        body: pageOf('role_mappings', RoleMappingView, 'RoleMappingList'),
      },
    },
    handler: async ({ caller: { tenant }, query }) => {
      const { limit, offset } = query;
      const { mappings, total } = await roleMappings.page(tenant.id, fromWire(query));
      const views = mappings.map(presentRoleMapping);
      return { status: 200, body: { role_mappings: views, total, limit, offset } };
    },
  });

const readRoleMapping = ({ roleMappings }: RouteParts): Route =>
  tenantRoute({
    ...ofMapping,
    method: 'GET',
    operationId: 'getRoleMapping',
    summary: 'Get a role mapping',
    responses: {
      200: { description: 'The mapping.', body: RoleMappingView },
      304: NOT_MODIFIED,
    },
    refusals: ['ROLE_MAPPING_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async ({ caller: { tenant }, params }) => {
      const mapping = await roleMappings.find(tenant.id, mappingIdFrom(params.id));
      return respondWithMapping(200, mapping ?? raise('ROLE_MAPPING_NOT_FOUND'));
    },
  });

const updateRoleMapping = (): Route =>
  tenantRoute({
    ...ofMapping,
    method: 'PATCH',
    operationId: 'updateRoleMapping',
    audit: 'changed a role mapping',
    summary: 'Update a role mapping',
    command: 'role-mapping.update',
    description: ROLES_FOLLOW,
    body: RoleMappingChanges,
    responses: { 200: { description: 'The updated mapping.', body: RoleMappingView } },
    refusals: ['ROLE_MAPPING_NOT_FOUND', 'NAME_TAKEN', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const mapping = await runCommand(request, request.caller.tenant.id, {
        type: 'role-mapping.update',
        mappingId: mappingIdFrom(request.params.id),
        ...fromWire(request.body),
        ...precondition(request.ifMatch),
      });
      return respondWithMapping(200, mapping);
    },
  });

const deleteRoleMapping = (): Route =>
  tenantRoute({
    ...ofMapping,
    method: 'DELETE',
    operationId: 'deleteRoleMapping',
    audit: 'deleted a role mapping',
    summary: 'Delete a role mapping',
    command: 'role-mapping.delete',
    description: `The group remains, without a role. ${ROLES_FOLLOW}`,
    responses: { 204: { description: 'The mapping was deleted.' } },
    refusals: ['ROLE_MAPPING_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id } = request.caller.tenant;
      const mappingId = mappingIdFrom(request.params.id);
      await runCommand(request, id, {
        type: 'role-mapping.delete',
        mappingId,
        ...precondition(request.ifMatch),
      });
      return { status: 204 };
    },
  });

/** A tenant's role mappings (decisions.md 5 and 8). */
export const roleMappingRoutes = (parts: RouteParts): readonly Route[] =>
  [createRoleMapping, listRoleMappings, readRoleMapping, updateRoleMapping, deleteRoleMapping].map(
    (declare) => declare(parts),
  );

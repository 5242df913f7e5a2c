import { z } from 'zod';
import { identifierField, idField, instantField } from '../../api/fields.js';
import type { RoleMapping } from '../../domain/role/role-mapping.js';

const EXAMPLE = {
  group_display_name: 'Dispatchers',
  role: 'dispatcher',
  apply_on_scim_provisioning: true,
  priority: 100,
} as const;

const MAX_PRIORITY = 1_000_000;

const fields = {
  group_display_name: identifierField(256).describe(
    'Display name of the SCIM group, which may not exist yet. Unique, ignoring case.',
  ),
  role: identifierField(64).describe('Role of the members of the group.'),
  apply_on_scim_provisioning: z.boolean().describe('If false, the mapping has no effect.'),
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
  .meta({
    id: 'RoleMapping',
    examples: [
      {
        id: '2f7d4b1c-9e8a-4c3b-b2a1-0f1e2d3c4b5a',
        ...EXAMPLE,
        source: 'scim',
        created_at: '2026-01-31T12:00:00.000Z',
      },
    ],
  });

export const NewRoleMapping = z
  .strictObject({
    ...fields,
    apply_on_scim_provisioning: fields.apply_on_scim_provisioning.default(true),
    priority: fields.priority.default(100),
  })
  .meta({ id: 'NewRoleMapping', examples: [EXAMPLE] });

export const RoleMappingChanges = z
  .strictObject(fields)
  .partial()
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    'must contain at least one of group_display_name, role, apply_on_scim_provisioning, priority',
  )
  .meta({ id: 'RoleMappingChanges', minProperties: 1, examples: [{ priority: 10 }] });

export const presentRoleMapping = (mapping: RoleMapping): z.output<typeof RoleMappingView> => ({
  id: mapping.id,
  group_display_name: mapping.groupDisplayName,
  role: mapping.role,
  apply_on_scim_provisioning: mapping.applyOnScimProvisioning,
  priority: mapping.priority,
  source: 'scim',
  created_at: mapping.createdAt.toISOString(),
});

import { z } from 'zod';
import { identifierField, idField, instantField, lineField } from '../../routes/fields.js';
import { isCountry } from '../../sms/phone-numbers.js';
import { isSlug, type ScimSettings, type Tenant } from '../../domain/tenant/tenant.js';

const EXAMPLE = {
  slug: 'acme',
  name: 'Acme Dispatch',
  seat_capacity: 50,
  default_role: 'member',
  room_provisioning: 'manual',
  default_country: 'DE',
  scim: { put_without_members: 'clear', strict_errors: false, max_removals_per_hour: null },
} as const;

const hasValue = (changes: object): boolean =>
  Object.values(changes).some((value) => value !== undefined);

const roomProvisioning = z
  .enum(['manual', 'automatic'])
  .describe(
    'What creating a SCIM group without a matching room does: `manual` returns ROOM_NOT_FOUND, ' +
      '`automatic` creates the room.',
  );

const defaultCountry = z
  .string()
  .refine(
    (text): boolean => isCountry(text),
    'must be an ISO 3166-1 country code of two capital letters, such as DE',
  )
  .nullable()
  .meta({
    pattern: '^[A-Z]{2}$',
    description:
      'Country of phone numbers without a country code, on SMS lists. Null: a country code is ' +
      'required.',
  });

const scimFields = {
  put_without_members: z
    .enum(['clear', 'keep'])
    .describe(
      'What a SCIM PUT of a group without `members` does: remove all members, or keep them.',
    ),
  strict_errors: z
    .boolean()
    .describe(
      'If true, SCIM error bodies have only the attributes of RFC 7644: no `error`, `details` or ' +
        '`request_id`.',
    ),
  max_removals_per_hour: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe(
      'How many users an API key may deactivate or delete, and members remove from groups, by SCIM ' +
        'within an hour. Further ones return REMOVALS_HELD until the hour is over or an operator ' +
        'allows them. Null: any number.',
    ),
};

const SCIM_DESCRIPTION = 'SCIM settings.';

const scimChanges = z
  .strictObject(scimFields)
  .partial()
  .refine(
    hasValue,
    'must contain at least one of put_without_members, strict_errors, max_removals_per_hour',
  )
  .meta({
    minProperties: 1,
    description: `${SCIM_DESCRIPTION} Omitted settings do not change.`,
  });

/** A tenant (decisions.md 8). */
export const TenantView = z
  .strictObject({
    id: idField("The tenant's id."),
    slug: z.string().describe("Part of the tenant's base URL; cannot be changed."),
    name: z.string(),
    seat_capacity: z
      .int()
      .min(0)
      .nullable()
      .describe('Maximum number of active users; null: no limit.'),
    default_role: z.string().describe('Role of users without a role mapping.'),
    room_provisioning: roomProvisioning,
    default_country: defaultCountry,
    scim: z.strictObject(scimFields).describe(SCIM_DESCRIPTION),
    created_at: instantField('When the tenant was created.'),
  })
  .meta({
    id: 'Tenant',
    examples: [
      {
        id: '9d2b7f6a-1c3d-4e5f-8a9b-0c1d2e3f4a5b',
        ...EXAMPLE,
        created_at: '2026-01-31T12:00:00.000Z',
      },
    ],
  });

const MAX_SEATS = 1_000_000_000;

const settings = {
  name: lineField(256),
  seat_capacity: z.int().min(0).max(MAX_SEATS).nullable(),
  default_role: identifierField(64),
  room_provisioning: roomProvisioning,
  default_country: defaultCountry,
};

export const NewTenant = z
  .strictObject({
    slug: z
      .string()
      .refine(
        isSlug,
        'must be 3 to 63 characters a-z, 0-9 or -, starting and ending with a letter or digit',
      )
      .meta({ pattern: '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$' }),
    name: settings.name,
    seat_capacity: settings.seat_capacity.default(null),
    default_role: settings.default_role.default('member'),
    room_provisioning: settings.room_provisioning.default('manual'),
    default_country: settings.default_country.default(null),
    scim: z
      .strictObject({
        put_without_members: scimFields.put_without_members.default('clear'),
        strict_errors: scimFields.strict_errors.default(false),
        max_removals_per_hour: scimFields.max_removals_per_hour.default(null),
      })
      .prefault({})
      .describe(SCIM_DESCRIPTION),
  })
  .meta({ id: 'TenantInput', examples: [EXAMPLE] });

export const TenantChanges = z
  .strictObject({ ...settings, scim: scimChanges })
  .partial()
  .refine(
    hasValue,
    'must contain at least one of name, seat_capacity, default_role, room_provisioning, ' +
      'default_country, scim',
  )
  .meta({ id: 'TenantChanges', minProperties: 1, examples: [{ seat_capacity: 80 }] });

/** SCIM settings of a body in the form of commands. */
export const readScimSettings = ({
  put_without_members,
  strict_errors,
  max_removals_per_hour,
}: NonNullable<z.output<typeof TenantChanges>['scim']>): Partial<ScimSettings> => ({
  ...(put_without_members !== undefined && { putWithoutMembers: put_without_members }),
  ...(strict_errors !== undefined && { strictErrors: strict_errors }),
  ...(max_removals_per_hour !== undefined && { maxRemovalsPerHour: max_removals_per_hour }),
});

export const presentTenant = (tenant: Tenant): z.output<typeof TenantView> => ({
  id: tenant.id,
  slug: tenant.slug,
  name: tenant.name,
  seat_capacity: tenant.seatCapacity,
  default_role: tenant.defaultRole,
  room_provisioning: tenant.roomProvisioning,
  default_country: tenant.defaultCountry,
  scim: {
    put_without_members: tenant.scim.putWithoutMembers,
    strict_errors: tenant.scim.strictErrors,
    max_removals_per_hour: tenant.scim.maxRemovalsPerHour,
  },
  created_at: tenant.createdAt.toISOString(),
});

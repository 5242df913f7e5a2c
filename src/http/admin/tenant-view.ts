import { z } from 'zod';
import { identifierField, idField, instantField, lineField } from '../../api/fields.js';
import { isCountry } from '../phone-numbers.js';
import { isSlug, type ScimSettings, type Tenant } from '../../domain/tenant.js';

const EXAMPLE = {
  slug: 'acme',
  name: 'Acme Dispatch',
  seat_capacity: 50,
  default_role: 'member',
  room_provisioning: 'manual',
  default_country: 'DE',
  scim: { put_without_members: 'clear', strict_errors: false },
} as const;

const hasValue = (changes: object): boolean =>
  Object.values(changes).some((value) => value !== undefined);

const roomProvisioning = z
  .enum(['manual', 'automatic'])
  .describe('Whether a SCIM group without a room is refused or gets one made.');

const defaultCountry = z
  .string()
  .refine(
    (text): boolean => isCountry(text),
    'must be a country code of two capital letters (ISO 3166-1), like DE',
  )
  .nullable()
  .meta({
    pattern: '^[A-Z]{2}$',
    description:
      "Whose phone numbers may be given without a country code, on SMS lists. Null: nobody's.",
  });

const scimFields = {
  put_without_members: z
    .enum(['clear', 'keep'])
    .describe(
      'What a SCIM PUT of a group without `members` does: empty the group, or keep its members.',
    ),
  strict_errors: z
    .boolean()
    .describe(
      'Whether SCIM error bodies hold the attributes of RFC 7644 only: no `error`, `details` or ' +
        '`request_id`.',
    ),
};

const SCIM_DESCRIPTION = 'Settings of the SCIM interface.';

const scimChanges = z
  .strictObject(scimFields)
  .partial()
  .refine(hasValue, 'must hold at least one of put_without_members, strict_errors')
  .meta({
    minProperties: 1,
    description: `${SCIM_DESCRIPTION} Those that are not named stay as they are.`,
  });

/** A tenant as operators see it (decisions.md 8). */
export const TenantView = z
  .strictObject({
    id: idField("The tenant's id."),
    slug: z.string().describe('Stands in every address of the tenant; never changes.'),
    name: z.string(),
    seat_capacity: z.int().min(0).nullable().describe('Null: no limit.'),
    default_role: z.string().describe('The role of users whom no role mapping gives another.'),
    room_provisioning: roomProvisioning,
    default_country: defaultCountry,
    scim: z.strictObject(scimFields).describe(SCIM_DESCRIPTION),
    created_at: instantField('When the tenant was made.'),
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

const MOST_SEATS = 1_000_000_000;

const settings = {
  name: lineField(256),
  seat_capacity: z.int().min(0).max(MOST_SEATS).nullable(),
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
        'must be 3 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit',
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
      })
      .prefault({})
      .describe(SCIM_DESCRIPTION),
  })
  .meta({ id: 'NewTenant', examples: [EXAMPLE] });

export const TenantChanges = z
  .strictObject({ ...settings, scim: scimChanges })
  .partial()
  .refine(
    hasValue,
    'must hold at least one of name, seat_capacity, default_role, room_provisioning, ' +
      'default_country, scim',
  )
  .meta({ id: 'TenantChanges', minProperties: 1, examples: [{ seat_capacity: 80 }] });

/** Settings of SCIM, all or some, as commands hold them. */
export const readScimSettings = ({
  put_without_members,
  strict_errors,
}: NonNullable<z.output<typeof TenantChanges>['scim']>): Partial<ScimSettings> => ({
  ...(put_without_members !== undefined && { putWithoutMembers: put_without_members }),
  ...(strict_errors !== undefined && { strictErrors: strict_errors }),
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
  },
  created_at: tenant.createdAt.toISOString(),
});

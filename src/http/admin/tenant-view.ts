import { z } from 'zod';
import { idField, instantField, lineField } from '../../api/fields.js';
import { isCountry } from '../phone-numbers.js';
import { isSlug, type Tenant } from '../../domain/tenant.js';

const EXAMPLE = {
  slug: 'acme',
  name: 'Acme Dispatch',
  seat_capacity: 50,
  default_role: 'member',
  room_provisioning: 'manual',
  default_country: 'DE',
} as const;

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
  default_role: lineField(64),
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
  })
  .meta({ id: 'NewTenant', examples: [EXAMPLE] });

export const TenantChanges = z
  .strictObject(settings)
  .partial()
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    'must hold at least one of name, seat_capacity, default_role, room_provisioning, default_country',
  )
  .meta({ id: 'TenantChanges', minProperties: 1, examples: [{ seat_capacity: 80 }] });

export const presentTenant = (tenant: Tenant): z.output<typeof TenantView> => ({
  id: tenant.id,
  slug: tenant.slug,
  name: tenant.name,
  seat_capacity: tenant.seatCapacity,
  default_role: tenant.defaultRole,
  room_provisioning: tenant.roomProvisioning,
  default_country: tenant.defaultCountry,
  created_at: tenant.createdAt.toISOString(),
});

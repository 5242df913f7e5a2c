import { z } from 'zod';
import {
  changesOf,
  identifierField,
  idField,
  instantField,
  lineField,
  textLike,
} from '../../routes/fields.js';
import { toWire } from '../../routes/wire.js';
import { isCountry } from '../../sms/phone-numbers.js';
import { isSlug, type Tenant } from '../../domain/tenant/tenant.js';
import {
  type NamedScimSettings,
  ROOM_PROVISIONING,
  type RoomProvisioning,
  SCIM_SETTING_NAMES,
  SCIM_SETTINGS,
  type Setting,
  settingText,
} from '../../domain/tenant/scim-settings.js';

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

const schemaOf = (setting: Setting): z.ZodType => {
  if (setting.kind === 'switch') return z.boolean();
  if (setting.kind === 'choice') return z.enum(Object.keys(setting.values));
  return z.int().min(setting.min).max(setting.max).nullable();
};

/** The schema of a setting (domain/tenant/scim-settings.ts). */
const settingField = <Value>(setting: Setting): z.ZodType<Value> =>
  schemaOf(setting).meta({ description: settingText(setting) }) as z.ZodType<Value>;

/** With what its control in the dashboard shows, which reads it from the OpenAPI document. */
const withControl = <Value>(field: z.ZodType<Value>, setting: Setting): z.ZodType<Value> =>
  field.meta({
    title: setting.title,
    'x-setting': {
      about: setting.about,
      ...(setting.kind === 'choice' && { values: setting.values }),
      ...(setting.kind === 'count' && { when_null: setting.whenNull }),
    },
  });

type ScimFields = { [Name in keyof NamedScimSettings]: z.ZodType<NamedScimSettings[Name]> };

const forEachScimSetting = (
  fieldOf: (setting: Setting, name: keyof NamedScimSettings) => z.ZodType,
): unknown =>
  Object.fromEntries(
    SCIM_SETTING_NAMES.map(([name, key]) => [name, fieldOf(SCIM_SETTINGS[key], name)]),
  );

const roomProvisioning = settingField<RoomProvisioning>(ROOM_PROVISIONING);

/** By their names in the API. */
const scimFields = forEachScimSetting(settingField) as ScimFields;

const SCIM_DESCRIPTION = 'SCIM settings.';

const scimChanges = changesOf(scimFields).describe(
  `${SCIM_DESCRIPTION} Omitted settings do not change.`,
);

/** A tenant (decisions.md 8). */
export const TenantView = z
  .strictObject({
    id: idField("The tenant's id."),
    slug: z.string().describe("Part of the tenant's base URL; cannot be changed."),
    name: textLike('Acme Dispatch'),
    seat_capacity: z
      .int()
      .min(0)
      .nullable()
      .describe('Maximum number of active users; null: no limit.'),
    default_role: z.string().describe('Role of users without a role mapping.'),
    room_provisioning: withControl(roomProvisioning, ROOM_PROVISIONING),
    default_country: defaultCountry,
    scim: z
      .strictObject(
        forEachScimSetting((setting, name) =>
          withControl<unknown>(scimFields[name], setting),
        ) as ScimFields,
      )
      .describe(SCIM_DESCRIPTION),
    created_at: instantField('When the tenant was created.'),
  })
  .meta({ id: 'Tenant' });

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
    room_provisioning: settings.room_provisioning.default(ROOM_PROVISIONING.default),
    default_country: settings.default_country.default(null),
    scim: z
      .strictObject(
        forEachScimSetting((setting) => settingField(setting).default(setting.default)) as {
          [Name in keyof ScimFields]: z.ZodDefault<ScimFields[Name]>;
        },
      )
      .prefault({})
      .describe(SCIM_DESCRIPTION),
  })
  .meta({
    id: 'TenantInput',
    examples: [{ slug: 'acme', name: 'Acme Dispatch', seat_capacity: 50 }],
  });

export const TenantChanges = changesOf({ ...settings, scim: scimChanges }).meta({
  id: 'TenantChanges',
  examples: [{ seat_capacity: 80 }],
});

export const presentTenant = (tenant: Tenant) => toWire(TenantView, tenant);

import { stringify } from 'yaml';
import { exportTenant } from '../../client/index.js';
import {
  lowerFirst,
  ROOM_PROVISIONING,
  SCIM_SETTING_NAMES,
  SCIM_SETTINGS,
  type Setting,
  settingLine,
} from '../../domain/tenant/scim-settings.js';
import { type FieldOption, yesNoOption } from '../field-option.js';
import { parseSeats, parseSlug } from '../parse-argument.js';
import { type Action, defineResource, type MoreOfItem } from '../resource.js';
import type { Session } from '../session.js';
import { type Schemas, viewOf } from '../view-of.js';

type TenantView = Schemas['Tenant'];

const NAME: FieldOption = { flags: '--name <text>', help: 'display name' };

/** The option of a declared setting. */
const settingOption = (field: string, setting: Setting): FieldOption => {
  const help = settingLine(setting);
  if (setting.kind === 'switch')
    return {
      ...yesNoOption(setting.option, field, help),
      byDefault: setting.default ? 'yes' : 'no',
    };
  if (setting.kind === 'count') {
    const { min, max } = setting;
    const byDefault = String(setting.default ?? 'none');
    const flags = `${setting.option} <number>`;
    return { flags, field, help, type: { min, max }, nullable: true, byDefault };
  }
  const choices = Object.keys(setting.values);
  const flags = `${setting.option} <${choices.join('|')}>`;
  return { flags, field, help, choices, byDefault: setting.default };
};

/** `keep: keep the members`, `yes`, `any number`. */
const shownSetting = (setting: Setting, value: string | boolean | number | null): string => {
  if (setting.kind === 'switch') return value === true ? 'yes' : 'no';
  // With the value that the option takes; a newer gateway may have others.
  if (setting.kind === 'choice') {
    const name = String(value);
    const [title] = setting.values[name] ?? [];
    return title === undefined ? name : `${name}: ${lowerFirst(title)}`;
  }
  return value === null ? setting.whenNull : String(value);
};

const OPTIONS: readonly FieldOption[] = [
  {
    flags: '--seats <number>',
    field: 'seat_capacity',
    help: 'maximum number of active users, or "unlimited"',
    byDefault: 'unlimited',
    parse: parseSeats,
  },
  {
    flags: '--default-role <role>',
    help: 'role of users without a matching role mapping',
    byDefault: 'member',
  },
  settingOption('room_provisioning', ROOM_PROVISIONING),
  {
    flags: '--default-country <code>',
    help: 'country of phone numbers without a country code, such as DE; or "none"',
    nullable: true,
    byDefault: 'none',
  },
  ...SCIM_SETTING_NAMES.map(([name, key]) => settingOption(`scim.${name}`, SCIM_SETTINGS[key])),
];

/** The seats in use. */
const aboutTenant = async ({ slug }: TenantView, session: Session): Promise<MoreOfItem> => {
  const { seats } = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/overview', { path: { slug } }),
  );
  const free = seats.available === null ? '' : `, ${seats.available} free`;
  return { text: `\n${seats.provisioned} seats in use${free}\n`, json: { seats } };
};

const exportFile: Action<TenantView> = {
  name: 'export',
  summary: 'print a tenant as a file for "rollgate apply"',
  description:
    'Print the settings of a tenant, its attributes, role mappings, rooms, and where events are sent, ' +
    'as YAML, which "rollgate apply" reads. Users, keys and secrets are not included; "rollgate ' +
    'export" also writes users, keys and the log.',
  run: async ({ session, id }) => {
    const file = await session.call((api) => exportTenant(api, id));
    session.print({ people: () => stringify(file), json: JSON.stringify(file), quiet: () => id });
    return 'printed';
  },
  examples: [
    ['rollgate tenant export acme > acme.yaml', 'for version control'],
    [
      'rollgate tenant export acme | sed s/acme/beta/ > beta.yaml',
      'as the start of another tenant',
    ],
  ],
};

export const TENANTS = defineResource({
  name: 'tenant',
  noun: 'a tenant',
  plural: 'tenants',
  summary: 'manage tenants',
  description: 'Tenants: the customer organisations, each with its own users, rooms and keys.',
  path: '/tenants',
  page: '',
  perTenant: false,
  items: 'tenants',
  view: viewOf<TenantView>('slug'),
  fields: [
    { label: 'slug', text: ({ slug }) => slug },
    { label: 'name', text: ({ name }) => name, wrapAt: 40 },
    {
      label: 'seats',
      text: ({ seat_capacity: seats }) => (seats === null ? 'unlimited' : String(seats)),
      align: 'right',
    },
    { label: 'default role', text: ({ default_role }) => default_role, wrapAt: 24 },
    { label: 'room provisioning', text: ({ room_provisioning }) => room_provisioning },
    {
      label: 'default country',
      text: ({ default_country }) => default_country ?? 'none',
      only: 'show',
    },
    ...SCIM_SETTING_NAMES.map(([name, key]) => ({
      label: SCIM_SETTINGS[key].title,
      text: ({ scim }: TenantView) => shownSetting(SCIM_SETTINGS[key], scim[name] ?? null),
      only: 'show' as const,
    })),
    { label: 'created', time: ({ created_at }) => created_at },
    { label: 'id', text: ({ id }) => id, only: 'show' },
    { label: 'REST URL', text: ({ slug }, { access }) => restUrl(access, slug), only: 'show' },
    {
      label: 'SCIM URL',
      text: ({ slug }, { access }) => `${restUrl(access, slug)}/scim/v2`,
      only: 'show',
    },
    {
      label: 'token URL',
      text: ({ slug, scim }, { access }) =>
        scim.access_tokens ? `${restUrl(access, slug)}/oauth2/token` : 'off',
      only: 'show',
    },
  ],
  id: ({ slug }) => slug,
  label: ({ slug }) => slug,
  item: { name: '<tenant>', help: "the tenant's slug", parse: parseSlug },
  create: {
    description:
      'Create a tenant: one customer organisation. docs/tenant-settings.md explains the settings.',
    arguments: [
      {
        name: '<slug>',
        help: 'its name in URLs; cannot be changed',
        field: 'slug',
        parse: parseSlug,
      },
    ],
    options: [{ ...NAME, help: 'display name (default: the slug)' }, ...OPTIONS],
    complete: (body) => ({ ...body, name: body.name ?? body.slug }),
    next: ({ slug }) =>
      `Next, create a key for its identity provider:\n  rollgate key create ${slug} --preset idp`,
    examples: [
      ['rollgate tenant create acme --name "Acme Rescue" --seats 50', 'with 50 seats'],
      [
        'rollgate tenant create acme --room-provisioning automatic',
        'SCIM groups get rooms automatically',
      ],
    ],
  },
  list: {
    description: 'List all tenants, oldest first.',
    examples: [
      ['rollgate tenant list', 'as a table'],
      ['rollgate tenant list --quiet', 'the slugs, one per line'],
      ['rollgate tenant list --json | jq .total', 'as JSON'],
    ],
  },
  show: {
    summary: 'show a tenant and its URLs',
    description: 'Show the settings of a tenant, the seats in use, and its REST and SCIM URLs.',
    more: aboutTenant,
    examples: [['rollgate tenant show acme', 'show settings and URLs']],
  },
  update: {
    aliases: ['set'],
    summary: 'update the settings of a tenant',
    description:
      'Update the settings of a tenant; settings that are not given stay unchanged. A seat ' +
      'capacity below the current usage deactivates no users, but no more can be activated. ' +
      'docs/tenant-settings.md explains the settings.',
    options: [NAME, ...OPTIONS],
    examples: [
      ['rollgate tenant update acme --seats 80', 'change the seat capacity'],
      ['rollgate tenant update acme --seats unlimited', 'remove the limit'],
      ['rollgate tenant update acme --default-role dispatcher', 'change the default role'],
    ],
  },
  delete: {
    summary: 'delete a tenant and all its data',
    description:
      'Delete a tenant. Its keys stop working within a second; its users, rooms and SMS lists are ' +
      'purged in the background. Asks for confirmation.',
    warning: ({ slug, name }) =>
      `This deletes tenant ${slug} (${name}) with all its users, rooms and ` +
      'keys. This cannot be undone.',
    examples: [
      ['rollgate tenant delete acme', 'asks for confirmation'],
      ['rollgate tenant delete acme --yes', 'for scripts'],
    ],
  },
  actions: [exportFile],
});

const restUrl = ({ publicUrl }: { readonly publicUrl: string }, slug: string): string =>
  `${publicUrl}/v1/${slug}`;

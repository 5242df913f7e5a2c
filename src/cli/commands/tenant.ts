import { z } from 'zod';
import { type FieldOption, yesNoOption } from '../field-option.js';
import { parseSeats, parseSlug } from '../parse-argument.js';
import { defineResource, type MoreOfItem } from '../resource.js';
import { ADMIN_ONLY, type Session } from '../session.js';

const TenantView = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  seat_capacity: z.int().nullable(),
  default_role: z.string(),
  room_provisioning: z.string(),
  default_country: z.string().nullable(),
  scim: z.object({
    put_without_members: z.enum(['clear', 'keep']),
    strict_errors: z.boolean(),
    max_removals_per_hour: z.int().nullable(),
  }),
  created_at: z.string(),
});

const NAME: FieldOption = { flags: '--name <text>', field: 'name', help: 'display name' };

const OPTIONS: readonly FieldOption[] = [
  {
    flags: '--seats <number>',
    field: 'seat_capacity',
    help: 'maximum number of active users, or "unlimited"',
    parse: parseSeats,
  },
  {
    flags: '--default-role <role>',
    field: 'default_role',
    help: 'role of users without a matching role mapping',
  },
  {
    flags: '--room-provisioning <manual|automatic>',
    field: 'room_provisioning',
    help: 'refuse SCIM groups without a room, or create a room for them',
    choices: ['manual', 'automatic'],
  },
  {
    flags: '--default-country <code>',
    field: 'default_country',
    help: 'country of phone numbers without a country code, such as DE; or "none"',
    nullable: true,
  },
  {
    flags: '--scim-put-without-members <clear|keep>',
    field: 'scim.put_without_members',
    help: 'whether a SCIM PUT of a group without members clears or keeps its members',
    choices: ['clear', 'keep'],
  },
  yesNoOption(
    '--scim-strict-errors',
    'scim.strict_errors',
    'restrict SCIM error bodies to the attributes of RFC 7644',
  ),
  {
    flags: '--scim-max-removals <number>',
    field: 'scim.max_removals_per_hour',
    help: 'users and members that an API key may remove by SCIM within an hour, or "none"',
    type: { min: 1, max: 1_000_000 },
    nullable: true,
  },
];

/** The seats in use. */
const aboutTenant = async (
  { slug }: z.output<typeof TenantView>,
  session: Session,
): Promise<MoreOfItem> => {
  const { seats } = await session.call((api) =>
    api.get('/admin/v1/tenants/{slug}/overview', { path: { slug } }),
  );
  const free = seats.available === null ? '' : `, ${seats.available} free`;
  return { text: `\n${seats.provisioned} seats in use${free}\n`, json: { seats } };
};

const PUT_WITHOUT_MEMBERS = { clear: 'empties the group', keep: 'keeps the members' } as const;

export const TENANTS = defineResource({
  name: 'tenant',
  noun: 'a tenant',
  plural: 'tenants',
  summary: 'manage tenants',
  description: 'Tenants: the customer organisations, each with its own users, rooms and keys.',
  path: '/tenants',
  perTenant: false,
  items: 'tenants',
  view: TenantView,
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
    {
      label: 'PUT without members',
      text: ({ scim }) => PUT_WITHOUT_MEMBERS[scim.put_without_members],
      only: 'show',
    },
    {
      label: 'SCIM errors',
      text: ({ scim }) => (scim.strict_errors ? 'RFC 7644 only' : 'with error and request_id'),
      only: 'show',
    },
    {
      label: 'SCIM removals',
      text: ({ scim }) =>
        scim.max_removals_per_hour === null
          ? 'any number'
          : `up to ${scim.max_removals_per_hour} an hour per key`,
      only: 'show',
    },
    { label: 'created', time: ({ created_at }) => created_at },
    { label: 'id', text: ({ id }) => id, only: 'show' },
    { label: 'REST URL', text: ({ slug }, { access }) => restUrl(access, slug), only: 'show' },
    {
      label: 'SCIM URL',
      text: ({ slug }, { access }) => `${restUrl(access, slug)}/scim/v2`,
      only: 'show',
    },
  ],
  id: ({ slug }) => slug,
  label: ({ slug }) => slug,
  item: { name: '<tenant>', help: "the tenant's slug", parse: parseSlug },
  readAccess: ADMIN_ONLY,
  create: {
    description: 'Create a tenant: one customer organisation.',
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
      'capacity below the current usage deactivates no users, but no more can be activated.',
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
});

const restUrl = ({ publicUrl }: { readonly publicUrl: string }, slug: string): string =>
  `${publicUrl}/v1/${slug}`;

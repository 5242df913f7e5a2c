import { z } from 'zod';
import { type FieldOption, yesNoOption } from '../field-option.js';
import { quote } from '../../process/program.js';
import { formatTime } from '../format-time.js';
import { parseSlug } from '../parse-argument.js';
import { type Action, defineResource } from '../resource.js';
import { ADMIN_ONLY } from '../session.js';

const OperatorView = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  role: z.string(),
  tenants: z.array(z.string()).nullable(),
  source: z.string(),
  created_at: z.string(),
  disabled_at: z.string().nullable(),
  last_sign_in_at: z.string().nullable(),
});
type OperatorView = z.output<typeof OperatorView>;

const LinkView = z.object({ url: z.string(), expires_at: z.string() });

const ROLES = ['owner', 'admin', 'operator', 'auditor'] as const;

const OPTIONS: readonly FieldOption[] = [
  {
    flags: '--email <address>',
    field: 'email',
    help: 'e-mail address, or "none"',
    nullable: true,
  },
  {
    flags: '--tenant <slug>',
    field: 'tenants',
    help: 'bind them to a tenant; repeatable, or separated by commas; or "none": all tenants',
    nullable: true,
    parse: (text) => text.split(',').map((slug) => parseSlug(slug.trim())),
  },
];

const ROLE: FieldOption = {
  flags: '--role <role>',
  field: 'role',
  help: 'what they may do',
  choices: ROLES,
};

/** Printed to standard output alone, so that it can be captured. */
const link: Action<OperatorView> = {
  name: 'link',
  access: ADMIN_ONLY,
  summary: 'create a sign-in link for an operator',
  description:
    'Create a link that signs the operator in to the dashboard once, within 24 hours. It replaces ' +
    'their previous link. Anyone who has it can sign in as them: send it to them only.',
  run: async ({ session, request, path }) => {
    const { url, expires_at: until } = LinkView.parse(await request('POST', `${path}/link`));
    const note = `Works once, until ${formatTime(until, session.context.now())}.\n\n`;
    return { note, sections: [{ text: `${url}\n` }], quiet: [url] };
  },
  examples: [
    ['rollgate operator link "Ada Lovelace"', 'by name'],
    ['rollgate operator link ada@example.com -q', 'only the link'],
  ],
};

export const OPERATORS = defineResource<OperatorView>({
  name: 'operator',
  noun: 'an operator',
  plural: 'operators',
  summary: 'manage the people who operate this gateway',
  description:
    'Operators: the people who sign in to the dashboard. Their role decides what they may do: an ' +
    'auditor reads, an operator does the daily work, an admin also changes keys, mappings and ' +
    'settings of tenants, an owner everything.',
  path: '/operators',
  perTenant: false,
  items: 'operators',
  view: OperatorView,
  fields: [
    { label: 'name', text: ({ name }) => name, wrapAt: 32 },
    { label: 'e-mail', text: ({ email }) => email, wrapAt: 40 },
    { label: 'role', text: ({ role }) => role },
    { label: 'tenants', text: ({ tenants }) => tenants?.join(', ') ?? 'all', wrapAt: 32 },
    { label: 'sign-in', text: ({ source }) => (source === 'oidc' ? 'OpenID' : 'link') },
    { label: 'last sign-in', time: ({ last_sign_in_at }) => last_sign_in_at },
    { label: 'disabled', time: ({ disabled_at }) => disabled_at, only: 'show' },
    { label: 'created', time: ({ created_at }) => created_at, only: 'show' },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
  item: {
    name: '<operator>',
    help: 'name, e-mail address or id',
    searched: ['name', 'email'],
  },
  readAccess: ADMIN_ONLY,
  hasNoDryRun: true,
  create: {
    description: 'Create an operator, who signs in with a link: see "rollgate operator link".',
    arguments: [{ name: '<name>', help: 'their name, shown in the log', field: 'name' }],
    options: [{ ...ROLE, isRequired: true }, ...OPTIONS],
    next: ({ name }) => `Next, create a sign-in link:\n  rollgate operator link ${quote(name)}`,
    examples: [
      ['rollgate operator create "Ada Lovelace" --role owner', 'who may do everything'],
      [
        'rollgate operator create "Grace Hopper" --role operator --tenant acme',
        'for one tenant only',
      ],
    ],
  },
  list: {
    description: 'List all operators, oldest first.',
    examples: [
      ['rollgate operator list', 'as a table'],
      ['rollgate operator list --json', 'as JSON'],
    ],
  },
  show: { examples: [['rollgate operator show ada@example.com', 'by e-mail address']] },
  update: {
    description:
      'Update an operator. It takes effect within a second, also where they are signed in. Of ' +
      'operators that sign in with OpenID, the provider decides name, role and tenants.',
    options: [
      { flags: '--name <text>', field: 'name', help: 'their name' },
      ROLE,
      ...OPTIONS,
      yesNoOption('--disabled', 'disabled', 'whether they are signed out and cannot sign in'),
    ],
    examples: [
      ['rollgate operator update ada@example.com --role auditor', 'may only read'],
      ['rollgate operator update "Ada Lovelace" --disabled yes', 'signs them out everywhere'],
    ],
  },
  delete: {
    description:
      'Delete an operator. Their sessions end within a second; the provisioning log keeps their ' +
      'name. Asks for confirmation.',
    warning: ({ name }) => `This deletes the operator ${name} and ends their sessions.`,
    examples: [['rollgate operator delete ada@example.com', 'asks for confirmation']],
  },
  actions: [link],
});

import { z } from 'zod';
import { type FieldOption, yesNoOption } from '../field-option.js';
import { fold } from '../../domain/kernel/names.js';
import { OPERATOR_ROLES } from '../../domain/operator/operator.js';
import { quote } from '../../process/program.js';
import { formatSecond, formatTime } from '../format-time.js';
import { parseSlug } from '../parse-argument.js';
import { type Action, defineResource } from '../resource.js';
import { findByName, locateItem } from '../locate.js';
import { describePart, pagingOptions, readList } from '../paging.js';
import { renderSection } from '../table.js';
import { type Schemas, viewOf } from '../view-of.js';

const OperatorView = viewOf<Schemas['Operator']>('id');
type OperatorView = Schemas['Operator'];

const LinkView = viewOf<Schemas['SignInLink']>('url');

const ROLES = OPERATOR_ROLES.toReversed();

const OPTIONS: readonly FieldOption[] = [
  { flags: '--email <address>', help: 'e-mail address, or "none"', nullable: true },
  {
    flags: '--tenant <slug>',
    field: 'tenants',
    help: 'restrict them to this tenant; repeatable, or separated by commas; "none": all tenants',
    byDefault: 'none',
    nullable: true,
    parse: (text) => text.split(',').map((slug) => parseSlug(slug.trim())),
  },
];

const ROLE: FieldOption = {
  flags: '--role <role>',
  help: `what they may do: ${ROLES.join(', ')}`,
  choices: ROLES,
};

/** Printed to standard output alone, so that it can be captured. */
const link: Action<OperatorView> = {
  name: 'link',
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

const LogEntry = viewOf<Schemas['OperatorLogEntry']>('id');

const LOG_COLUMNS = [
  { title: 'TIME' },
  { title: 'WHO', wrapAt: 32 },
  { title: 'ACTION', wrapAt: 60 },
  { title: 'REFUSED' },
];

const log: Action<OperatorView> = {
  name: 'log',
  isOnCollection: true,
  summary: 'show what operators did',
  description:
    "List the operators' log, newest first: sign-ins, also those refused, and what operators did to " +
    'accounts, links, keys, secrets and settings. With an operator, what they did, and what was done ' +
    'to their account.',
  arguments: [{ name: '[operator]', help: 'name, e-mail address or id; default: all' }],
  options: pagingOptions('cursor'),
  run: async ({ session, path, args: [wanted], fields }) => {
    const found = wanted === undefined ? {} : await locateItem(session, OPERATORS, path, wanted);
    const part = await readList(session, {
      ...{ path: '/operator-log', items: 'entries', continuation: 'cursor' },
      fields: { ...fields, ...('id' in found && { operator: found.id }) },
    });
    const entries = z.array(LogEntry).parse(part.page['entries']);
    const rows = entries.map((entry) => [
      formatSecond(entry.at),
      entry.actor.name,
      entry.text,
      entry.error,
    ]);
    session.print({
      people: () => renderSection({ columns: LOG_COLUMNS, rows }, session.paint),
      json: part.response.text,
      quiet: () => entries.map(({ id }) => id).join('\n'),
    });
    if (entries.length === 0) session.note('No entries.\n');
    const rest = describePart(part, entries.length, 'entries');
    if (rest !== undefined) session.note(`\n${rest}\n`);
    return 'printed';
  },
  examples: [
    ['rollgate operator log', 'the newest 100 entries'],
    ['rollgate operator log "Ada Lovelace" --limit 20', 'of one operator'],
  ],
};

export const OPERATORS = defineResource<OperatorView>({
  name: 'operator',
  noun: 'an operator',
  plural: 'operators',
  summary: 'manage the people who sign in to the dashboard',
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
      { flags: '--name <text>', help: 'their name' },
      ROLE,
      ...OPTIONS,
      yesNoOption(
        '--disabled',
        'disabled',
        '"yes" signs them out and refuses sign-ins; "no" allows sign-ins again',
      ),
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
  actions: [link, log],
});

const PasskeyView = viewOf<Schemas['Passkey']>('id');

const PasskeyList = z.object({ passkeys: z.array(PasskeyView) });

export const PASSKEYS = defineResource<Schemas['Passkey']>({
  name: 'operator passkeys',
  noun: 'a passkey',
  plural: 'passkeys',
  summary: 'list and delete the passkeys of an operator',
  description:
    'Passkeys: what an operator signs in with instead of a link. They are kept by a device or a ' +
    'password manager. Operators create them in the dashboard, under "Your account".',
  path: '/passkeys',
  isWhole: true,
  perTenant: false,
  parent: 'operator',
  items: 'passkeys',
  view: PasskeyView,
  fields: [
    { label: 'name', text: ({ name }) => name },
    { label: 'created', time: ({ created_at }) => created_at },
    { label: 'last used', time: ({ last_used_at }) => last_used_at },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
  item: { name: '<passkey>', help: "the passkey's id or name" },
  locate: async ({ client, read }, path, wanted) => {
    const { passkeys } = read(PasskeyList, await client.request('GET', path));
    const named = passkeys.map((one) => ({ ...one, names: [one.name] }));
    const found =
      passkeys.find(({ id }) => id === wanted) ??
      findByName(
        named.filter(({ name }) => fold(name) === fold(wanted)),
        { noun: 'passkey', wanted },
      );
    return found && { id: found.id, response: { status: 200, text: JSON.stringify(found) } };
  },
  hasNoDryRun: true,
  list: {
    description: 'List the passkeys of an operator, oldest first.',
    examples: [['rollgate operator passkeys list ada@example.com', 'with their last use']],
  },
  delete: {
    description:
      'Delete a passkey, for example of a lost device. It stops working, and the sessions that it ' +
      'began end, within a second. Asks for confirmation.',
    warning: ({ name }) => `This deletes the passkey "${name}" and ends its sessions.`,
    examples: [['rollgate operator passkeys delete ada@example.com Laptop', 'a lost device']],
  },
});

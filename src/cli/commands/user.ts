import { z } from 'zod';
import { lowerFirst } from '../../domain/tenant/scim-settings.js';
import { USER_TEXTS, type UserText } from '../../domain/user/user-texts.js';
import { yesNo } from '../terminal-text.js';
import { formatSecond } from '../format-time.js';
import { compareAction } from './compare.js';
import { detailOf, LogEntry, nameOf } from './log.js';
import { type Action, defineResource, type MoreOfItem } from '../resource.js';
import type { Section } from '../table.js';
import type { Session, Access } from '../session.js';
import { renderSection } from '../table.js';
import { type FieldOption, yesNoOption } from '../field-option.js';
import { type Schemas, viewOf } from '../view-of.js';
import { findByName, type Named, byIdOr, type Locate } from '../locate.js';

const SHOWN_ENTRIES = 10;
const MAX_ROOMS = 500;

const Timeline = z.object({ commands: z.array(LogEntry) });

/** The user's rooms, why they have their role, and what changed them last. */
const aboutUser = async (id: string, session: Session): Promise<MoreOfItem> => {
  const slug = session.tenant ?? '';
  const [{ rooms, total }, role, timeline] = await Promise.all([
    session.call((api) =>
      api.get('/admin/v1/tenants/{slug}/users/{id}/rooms', {
        path: { slug, id },
        query: { limit: MAX_ROOMS },
      }),
    ),
    session.call((api) =>
      api.get('/admin/v1/tenants/{slug}/explain', {
        path: { slug },
        query: { user: id, role: '' },
      }),
    ),
    session.client.request('GET', '/commands', { query: { affected: id, limit: SHOWN_ENTRIES } }),
  ]);
  const { commands } = session.read(Timeline, timeline);
  const sections = [
    renderSection(roomSection(rooms), session.paint) +
      (rooms.length < total ? `and ${total - rooms.length} more\n` : ''),
    renderSection(
      { title: 'Role', text: [role.answer, ...role.facts].map(({ text }) => `${text}\n`).join('') },
      session.paint,
    ),
    renderSection(logSection(commands), session.paint),
  ];
  return {
    text: sections.map((section) => `\n${section}`).join(''),
    json: { rooms, why_this_role: role, timeline: commands },
  };
};

const roomSection = (rooms: readonly Schemas['UserRoom'][]): Section => ({
  title: 'Rooms',
  columns: [{ title: 'ROOM', wrapAt: 40 }, { title: 'MAY TRANSMIT' }, { title: 'ID' }],
  rows: rooms.map(({ id, name, tx_permission: may }) => [name, yesNo(may), id]),
});

const logSection = (entries: readonly LogEntry[]): Section => ({
  title: 'Last changes',
  columns: [
    { title: 'TIME' },
    { title: 'OUTCOME' },
    { title: 'COMMAND' },
    { title: 'ACTOR', wrapAt: 24 },
    { title: 'DETAIL', wrapAt: 60 },
  ],
  rows: entries.map((entry) => [
    formatSecond(entry.at),
    entry.outcome,
    entry.type,
    nameOf(entry.actor),
    detailOf(entry),
  ]),
});

const WRITE: Access = { admin: true, scope: 'api:users:write' };

const UserView = viewOf<Schemas['User']>('id');

const DISPLAY_NAME: FieldOption = {
  flags: '--name <text>',
  field: 'display_name',
  help: 'display name',
};
const ACTIVE = yesNoOption('--active', 'active', 'activate or deactivate the user');

type UserView = Schemas['User'];

const TEXTS = Object.entries(USER_TEXTS) as [name: 'external_id', text: UserText][];

const isChanged = ([, { isFixed }]: (typeof TEXTS)[number]): boolean => isFixed !== true;

const textOption = ([field, { option, about }]: (typeof TEXTS)[number]): FieldOption => ({
  flags: option,
  field,
  help: lowerFirst(about),
});

const orNone = (option: FieldOption): FieldOption => ({
  ...option,
  help: `${option.help}, or "none"`,
  nullable: true,
});

const SORTS = ['created_at', 'display_name', 'updated_at'];

const reactivate: Action<UserView> = {
  name: 'reactivate',
  access: WRITE,
  canDryRun: true,
  summary: 'reactivate a user',
  description: 'Reactivate a user: the user takes a seat and can sign in again.',
  run: async ({ request, path }) => {
    const body = { active: true };
    const { id, email, user_name } = UserView.parse(await request('PATCH', path, { body }));
    return { note: `Reactivated user ${email ?? user_name}.\n`, sections: [], quiet: [id] };
  },
  examples: [['rollgate user reactivate acme ada@example.com', 'by email address']],
};

const UserPage = z.object({ users: z.array(UserView) });

const namesOf = ({ email, display_name, user_name }: UserView): readonly string[] => [
  display_name,
  ...(email === null ? [] : [email]),
  user_name,
];

/** A user as search results name them. */
const namedUser = (user: UserView): Named => ({ id: user.id, names: namesOf(user) });

/** By id, email address, or name; the beginning of a word is enough. */
const locateByName: Locate = byIdOr(async ({ client, read }, path, wanted) => {
  const query = { search: wanted, limit: 50 };
  const { users } = read(UserPage, await client.request('GET', path, { query }));
  const found = findByName(users.map(namedUser), { noun: 'user', wanted });
  return found && { id: found.id };
});

export const USERS = defineResource({
  name: 'user',
  noun: 'a user',
  plural: 'users',
  summary: 'manage users',
  description: 'Users: the people of a tenant. Each active user takes a seat.',
  path: '/users',
  page: '/users',
  items: 'users',
  view: UserView,
  fields: [
    { label: 'email', text: ({ email }) => email },
    { label: 'name', text: ({ display_name }) => display_name, wrapAt: 40 },
    { label: 'active', text: ({ active }) => yesNo(active) },
    { label: 'role', text: ({ role }) => role, wrapAt: 24 },
    { label: 'user name', text: ({ user_name }) => user_name, only: 'show' },
    ...TEXTS.map(([name, { title }]) => ({
      label: title.toLowerCase(),
      text: (user: UserView) => user[name],
      wrapAt: 24,
    })),
    { label: 'created', time: ({ created_at }) => created_at, only: 'show' },
    { label: 'updated', time: ({ updated_at }) => updated_at },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ email, user_name }) => email ?? user_name,
  item: { name: '<user>', help: "the user's id or email address", condition: 'email' },
  hintFor: (wanted) =>
    wanted.includes('@')
      ? undefined
      : 'Give the id or email address: a name is not enough to change a user.',
  names: namesOf,
  searchQuery: (start) => (start === '' ? {} : { search: start }),
  readAccess: { admin: true, scope: 'api:users:read' },
  writeAccess: WRITE,
  create: {
    description:
      'Create a user. An identity provider does not know the user until it pushes the same user name, ' +
      'which is the email address.',
    arguments: [{ name: '<email>', help: 'unique within the tenant', field: 'email' }],
    options: [
      DISPLAY_NAME,
      ...TEXTS.map(textOption),
      yesNoOption('--active', 'active', 'create the user active or deactivated (default: yes)'),
    ],
    examples: [
      ['rollgate user create acme ada@example.com --name "Ada Lovelace"', 'with a display name'],
    ],
  },
  list: {
    filters: [
      { flags: '--email <address>', help: 'only the user with this address' },
      { flags: '--external-id <id>', help: 'only users with this external id' },
      yesNoOption('--active', 'active', 'only active users, or only deactivated ones'),
      { flags: '--role <role>', help: 'only users with this role' },
      {
        flags: '--search <text>',
        help: 'only users with a word of their name or email that begins like this',
      },
      {
        flags: '--sort <field>',
        help: `order: ${SORTS.join(', ')}; descending with "-" before it; admin token only`,
        choices: SORTS.flatMap((name) => [name, `-${name}`]),
      },
    ],
    examples: [
      ['rollgate user list acme', 'as a table'],
      ['rollgate user list acme --active no', 'deactivated users'],
      ['rollgate user list acme --sort=-updated_at', 'changed last, first'],
      ['rollgate user list acme --search love', 'users such as "Ada Lovelace"'],
    ],
  },
  show: {
    summary: 'show a user with rooms, role and last changes',
    description:
      'Show a user. With the admin token, also the rooms, why the user has this role, and the last ' +
      'commands that changed the user.',
    locate: locateByName,
    itemHelp: "the user's id, email address or name; the beginning of a name is enough",
    more: (user, session) => aboutUser(user.id, session),
    examples: [
      ['rollgate user show acme ada@example.com', 'by email address'],
      ['rollgate user show acme Love', 'by the beginning of any name, if only one matches'],
    ],
  },
  update: {
    description: 'Update the display name of a user, or deactivate or reactivate the user.',
    options: [DISPLAY_NAME, ...TEXTS.filter(isChanged).map(textOption).map(orNone), ACTIVE],
    examples: [['rollgate user update acme ada@example.com --name "Ada King"', 'change the name']],
  },
  delete: {
    name: 'deactivate',
    aliases: ['delete'],
    done: 'Deactivated',
    summary: 'deactivate a user',
    description:
      'Deactivate a user: the user can no longer sign in and the seat is free. The record is kept ' +
      'and can be reactivated with "user reactivate". Asks for confirmation.',
    warning: ({ email, user_name }, tenant) =>
      `This deactivates user ${email ?? user_name} of ${tenant}: the user can no ` +
      'longer sign in.',
    examples: [
      ['rollgate user deactivate acme ada@example.com', 'asks for confirmation'],
      ['rollgate user deactivate acme ada@example.com --yes', 'for scripts'],
    ],
  },
  actions: [reactivate, compareAction('user')],
});

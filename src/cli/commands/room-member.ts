import { z } from 'zod';
import { printable } from '../display-width.js';
import { yesNoOption } from '../field-option.js';
import { orDash, yesNo } from '../format-value.js';
import { locateItem } from '../locate-item.js';
import type { Locate } from '../locate.js';
import { type Action, defineResource } from '../resource.js';
import type { Access } from '../session.js';
import { ROOMS } from './room.js';
import { USERS } from './user.js';

const READ: Access = { admin: true, scope: 'api:rooms:read' };
const WRITE: Access = { admin: true, scope: 'api:rooms:write' };

const MemberView = z.object({
  user_id: z.string(),
  email: z.string().nullable(),
  display_name: z.string(),
  active: z.boolean(),
  /** Known from the list only. */
  tx_permission: z.boolean().optional(),
  added_at: z.string().optional(),
});
type MemberView = z.output<typeof MemberView>;

const UserView = z.looseObject({ id: z.string() });

const labelOf = ({ email, display_name }: MemberView): string => email ?? display_name;

/** Finds the user, who may not be a member yet; the room's members would have to be searched. */
const locateUser: Locate = async (session, _path, wanted) => {
  const found = await locateItem(session, USERS, USERS.path, wanted);
  const response =
    found.response ?? (await session.client.request('GET', `${USERS.path}/${found.id}`));
  const { id, ...user } = session.read(UserView, response);
  return { id, response: { status: 200, text: JSON.stringify({ ...user, user_id: id }) } };
};

const Changed = z.object({ tx_permission: z.boolean() });

const transmits = (may: boolean): string => (may ? 'may transmit' : 'may only listen');

const TRANSMIT = yesNoOption('--transmit', 'tx_permission', 'whether the user may transmit');

const add: Action<MemberView> = {
  name: 'add',
  access: WRITE,
  options: [{ ...TRANSMIT, help: `${TRANSMIT.help} (default: no)` }],
  summary: 'add a user to a room',
  description:
    'Add a user to a room. If a SCIM group is mapped to the room, its next complete push may remove ' +
    'the user again: "rollgate explain" shows it.',
  run: async ({ session, path, id, item, fields }) => {
    const member = printable(labelOf(await item()));
    const collection = path.slice(0, path.lastIndexOf('/'));
    const body = { user_id: id, ...fields };
    const response = await session.client.request('POST', collection, { body });
    const { tx_permission: may } = session.read(Changed, response);
    session.note(`Added ${member}, who ${transmits(may)}.\n`);
    session.print({ people: () => '', json: response.text, quiet: () => id });
  },
  examples: [
    ['rollgate member add acme Dispatch ada@example.com', 'who may listen'],
    ['rollgate member add acme Dispatch ada@example.com --transmit yes', 'who may also transmit'],
  ],
};

const update: Action<MemberView> = {
  name: 'update',
  access: WRITE,
  options: [{ ...TRANSMIT, isRequired: true }],
  summary: 'change whether a member may transmit',
  description: 'Change whether a member may transmit.',
  run: async ({ session, path, id, item, fields }) => {
    const member = printable(labelOf(await item()));
    const response = await session.client.request('PATCH', path, { body: fields });
    const { tx_permission: may } = session.read(Changed, response);
    session.note(`Updated ${member}, who ${transmits(may)}.\n`);
    session.print({ people: () => '', json: response.text, quiet: () => id });
  },
  examples: [['rollgate member update acme Dispatch ada@example.com --transmit no', 'listen only']],
};

export const ROOM_MEMBERS = defineResource({
  name: 'member',
  noun: 'a member',
  plural: 'members',
  summary: 'manage the members of rooms',
  description: 'Members: the users of a room, and who of them may transmit.',
  path: '/members',
  parent: ROOMS,
  items: 'members',
  view: MemberView,
  fields: [
    { label: 'email', text: ({ email }) => orDash(email) },
    { label: 'name', text: ({ display_name }) => printable(display_name), wrapAt: 40 },
    { label: 'active', text: ({ active }) => yesNo(active) },
    { label: 'may transmit', text: ({ tx_permission: may }) => yesNo(may === true) },
    { label: 'added', time: ({ added_at }) => added_at ?? null },
    { label: 'user id', text: ({ user_id }) => user_id },
  ],
  id: ({ user_id }) => user_id,
  label: labelOf,
  item: { name: '<user>', help: "the user's id or email address" },
  locate: locateUser,
  candidates: USERS,
  readAccess: READ,
  writeAccess: WRITE,
  list: {
    description: 'List the members of a room.',
    examples: [['rollgate member list acme Dispatch', 'who may listen and transmit']],
  },
  delete: {
    name: 'remove',
    done: 'Removed',
    summary: 'remove a member from a room',
    description: 'Remove a member from a room. Asks for confirmation.',
    warning: (member, _context, tenant) =>
      `This removes ${printable(labelOf(member))} from the room: the user can no longer hear or ` +
      `speak there. Other rooms of ${tenant} stay.`,
    examples: [
      ['rollgate member remove acme Dispatch ada@example.com', 'asks for confirmation'],
      ['rollgate member remove acme Dispatch ada@example.com --yes', 'for scripts'],
    ],
  },
  actions: [add, update],
});

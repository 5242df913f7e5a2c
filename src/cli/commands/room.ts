import { yesNo } from '../terminal-text.js';
import { locateItem, type Locate } from '../locate.js';
import { defineResource, type Action } from '../resource.js';
import type { Access } from '../session.js';
import { yesNoOption } from '../field-option.js';
import { type Schemas, viewOf } from '../view-of.js';
import { compareAction } from './compare.js';
import { USERS } from './user.js';

const countMembers = (count: number): string => (count === 1 ? '1 member' : `${count} members`);

export const ROOMS = defineResource({
  name: 'room',
  noun: 'a room',
  plural: 'rooms',
  summary: 'manage rooms',
  description: 'Rooms: the voice channels of a tenant. A SCIM group can be mapped to a room.',
  path: '/rooms',
  page: '/rooms',
  items: 'rooms',
  view: viewOf<Schemas['Room']>('id'),
  fields: [
    { label: 'name', text: ({ name }) => name, wrapAt: 40 },
    { label: 'SCIM group', text: ({ display_name }) => display_name, wrapAt: 40 },
    { label: 'role', text: ({ role }) => role, wrapAt: 24 },
    { label: 'members', text: ({ member_count }) => String(member_count), align: 'right' },
    { label: 'created', time: ({ created_at }) => created_at },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
  item: { name: '<room>', help: "the room's id or name", condition: 'name' },
  create: {
    aliases: ['add'],
    description:
      'Create a room. If an identity provider pushes a group with the same name (ignoring case), ' +
      'the group is mapped to the room and its members become members of the room.',
    arguments: [{ name: '<name>', help: 'unique within the tenant', field: 'name' }],
    examples: [['rollgate room create acme "Night dispatch"', 'create a room']],
  },
  list: {
    description: 'List the rooms of a tenant with their SCIM groups, oldest first.',
    examples: [
      ['rollgate room list acme', 'as a table'],
      ['rollgate room list acme --json | jq .total', 'as JSON'],
    ],
  },
  show: {
    description: 'Show a room, its SCIM group and its number of members.',
    examples: [['rollgate room show acme Dispatch', 'show a room by name']],
  },
  update: {
    summary: 'rename a room, or map a SCIM group to it',
    description:
      'Rename a room, or change its SCIM group mapping. A mapped group of the identity provider adds ' +
      'and removes the members of the room. Renaming the room does not rename its group.',
    options: [
      { flags: '--name <name>', help: 'new name' },
      {
        flags: '--group <name>',
        help: 'SCIM group to map to the room; "none" removes the mapping and keeps the members',
        nullable: true,
      },
    ],
    requests: ({ name, group }) => [
      ...(name === undefined ? [] : [{ method: 'PATCH', body: { name } } as const]),
      ...(group === undefined
        ? []
        : group === null
          ? [{ method: 'DELETE', to: '/mapping' } as const]
          : [{ method: 'PATCH', to: '/mapping', body: { display_name: group } } as const]),
    ],
    examples: [
      ['rollgate room update acme "Night dispatch" --name Night', 'rename a room'],
      ['rollgate room update acme Dispatch --group "Dispatch team"', 'map a SCIM group'],
      ['rollgate room update acme Dispatch --group none', 'remove the mapping'],
    ],
  },
  delete: {
    aliases: ['remove'],
    summary: 'delete a room and its memberships',
    description: 'Delete a room with its memberships and its SCIM group. Asks for confirmation.',
    warning: ({ name, member_count }, tenant) =>
      `This deletes room ${name} of ${tenant} with ${countMembers(member_count)}. ` +
      'This cannot be undone.',
    examples: [
      ['rollgate room delete acme Night', 'asks for confirmation'],
      ['rollgate room delete acme 1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f --yes', 'for scripts'],
    ],
  },
  actions: [compareAction('room')],
});

const READ: Access = { admin: true, scope: 'api:rooms:read' };
const WRITE: Access = { admin: true, scope: 'api:rooms:write' };

/** Whether they may transmit is known from the list only. */
type MemberView = Omit<Schemas['ListedMember'], Listed> &
  Partial<Pick<Schemas['ListedMember'], Listed>>;
type Listed = 'tx_permission' | 'added_at';

const UserView = viewOf<Schemas['User']>('id');

const labelOf = ({ email, display_name }: MemberView): string => email ?? display_name;

/** Finds the user, who may not be a member yet; the room's members would have to be searched. */
const locateUser: Locate = async (session, _path, wanted) => {
  const found = await locateItem(session, USERS, USERS.path, wanted);
  const response =
    found.response ?? (await session.client.request('GET', `${USERS.path}/${found.id}`));
  const { id, ...user } = session.read(UserView, response);
  return { id, response: { status: 200, text: JSON.stringify({ ...user, user_id: id }) } };
};

const Changed = viewOf<Schemas['RoomMember']>('user_id');

const transmits = (may: boolean): string => (may ? 'may transmit' : 'may only listen');

const TRANSMIT = yesNoOption('--transmit', 'tx_permission', 'whether the user may transmit');

const add: Action<MemberView> = {
  name: 'add',
  access: WRITE,
  canDryRun: true,
  options: [{ ...TRANSMIT, help: `${TRANSMIT.help} (default: no)` }],
  summary: 'add a user to a room',
  description:
    'Add a user to a room. If a SCIM group is mapped to the room, its next complete push may remove ' +
    'the user again: "rollgate explain" shows it.',
  run: async ({ request, path, id, item, fields }) => {
    const member = labelOf(await item());
    const collection = path.slice(0, path.lastIndexOf('/'));
    const body = { user_id: id, ...fields };
    const { tx_permission: may } = Changed.parse(await request('POST', collection, { body }));
    return { note: `Added ${member}, who ${transmits(may)}.\n`, sections: [], quiet: [id] };
  },
  examples: [
    ['rollgate member add acme Dispatch ada@example.com', 'who may listen'],
    ['rollgate member add acme Dispatch ada@example.com --transmit yes', 'who may also transmit'],
  ],
};

const update: Action<MemberView> = {
  name: 'update',
  access: WRITE,
  canDryRun: true,
  options: [{ ...TRANSMIT, isRequired: true }],
  summary: 'change whether a member may transmit',
  description: 'Change whether a member may transmit.',
  run: async ({ request, path, id, item, fields }) => {
    const member = labelOf(await item());
    const { tx_permission: may } = Changed.parse(await request('PATCH', path, { body: fields }));
    return { note: `Updated ${member}, who ${transmits(may)}.\n`, sections: [], quiet: [id] };
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
  parent: 'room',
  items: 'members',
  view: viewOf<MemberView>('user_id'),
  fields: [
    { label: 'email', text: ({ email }) => email },
    { label: 'name', text: ({ display_name }) => display_name, wrapAt: 40 },
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
    warning: (member, tenant) =>
      `This removes ${labelOf(member)} from the room: the user can no longer hear or ` +
      `speak there. Other rooms of ${tenant} stay.`,
    examples: [
      ['rollgate member remove acme Dispatch ada@example.com', 'asks for confirmation'],
      ['rollgate member remove acme Dispatch ada@example.com --yes', 'for scripts'],
    ],
  },
  actions: [add, update],
});

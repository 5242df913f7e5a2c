import { z } from 'zod';
import { printable } from '../display-width.js';
import { byCondition, byIdOr } from '../locate.js';
import { orDash } from '../format-value.js';
import { defineResource } from '../resource.js';
import { ADMIN_ONLY } from '../session.js';

const RoomView = z.object({
  id: z.string(),
  name: z.string(),
  display_name: z.string().nullable(),
  member_count: z.int(),
  role: z.string().nullable(),
  created_at: z.string(),
});

const countMembers = (count: number): string => (count === 1 ? '1 member' : `${count} members`);

export const ROOMS = defineResource({
  name: 'room',
  noun: 'a room',
  plural: 'rooms',
  summary: 'manage rooms',
  description: 'Rooms: the voice channels of a tenant. A SCIM group can be mapped to a room.',
  path: '/rooms',
  items: 'rooms',
  view: RoomView,
  fields: [
    { label: 'name', text: ({ name }) => printable(name), wrapAt: 40 },
    { label: 'SCIM group', text: ({ display_name }) => orDash(display_name), wrapAt: 40 },
    { label: 'role', text: ({ role }) => orDash(role), wrapAt: 24 },
    { label: 'members', text: ({ member_count }) => String(member_count), align: 'right' },
    { label: 'created', time: ({ created_at }) => created_at },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
  item: { name: '<room>', help: "the room's id or name" },
  locate: byIdOr(byCondition('name', { items: 'rooms' })),
  readAccess: ADMIN_ONLY,
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
    summary: 'rename a room',
    description: 'Rename a room. The SCIM group that is mapped to it keeps its name.',
    options: [{ flags: '--name <name>', field: 'name', help: 'new name' }],
    examples: [['rollgate room update acme "Night dispatch" --name Night', 'rename a room']],
  },
  delete: {
    aliases: ['remove'],
    summary: 'delete a room and its memberships',
    description: 'Delete a room with its memberships and its SCIM group. Asks for confirmation.',
    warning: ({ name, member_count }, _context, tenant) =>
      `This deletes room ${printable(name)} of ${tenant} with ${countMembers(member_count)}. ` +
      'This cannot be undone.',
    examples: [
      ['rollgate room delete acme Night', 'asks for confirmation'],
      ['rollgate room delete acme 1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f --yes', 'for scripts'],
    ],
  },
});

import { compareAction } from './compare.js';
import { defineResource } from '../resource.js';
import { ADMIN_ONLY } from '../session.js';
import { type Schemas, viewOf } from '../view-of.js';

export const GROUPS = defineResource({
  name: 'group',
  noun: 'a group',
  plural: 'groups',
  summary: 'show SCIM groups',
  description:
    'SCIM groups, as pushed by the identity provider. A group can be mapped to a room, or give its ' +
    'members a role. Read-only.',
  path: '/groups',
  page: '/groups',
  items: 'groups',
  view: viewOf<Schemas['Group']>('id'),
  fields: [
    { label: 'name', text: ({ display_name }) => display_name, wrapAt: 40 },
    { label: 'role', text: ({ role }) => role, wrapAt: 24 },
    { label: 'members', text: ({ member_count }) => String(member_count), align: 'right' },
    { label: 'external id', text: ({ external_id }) => external_id, only: 'show' },
    { label: 'created', time: ({ created_at }) => created_at, only: 'show' },
    { label: 'updated', time: ({ updated_at }) => updated_at },
    { label: 'room id', text: ({ room_id }) => room_id },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ display_name }) => display_name,
  item: {
    name: '<group>',
    help: "the group's id or display name",
    condition: 'display_name',
  },
  readAccess: ADMIN_ONLY,
  list: {
    summary: 'list SCIM groups',
    description: 'List the SCIM groups of a tenant, oldest first.',
    filters: [
      { flags: '--name <name>', field: 'display_name', help: 'only the group with this name' },
      {
        flags: '--external-id <id>',
        field: 'external_id',
        help: 'only groups with this external id',
      },
    ],
    examples: [['rollgate group list acme', 'all groups']],
  },
  show: {
    summary: 'show a SCIM group',
    description: 'Show a SCIM group, its room and its role.',
    examples: [['rollgate group show acme Dispatchers', 'by name']],
  },
  actions: [compareAction('group')],
});

import { formatSecond } from '../format-time.js';
import { compareAction } from './compare.js';
import { type Action, defineResource } from '../resource.js';
import { type Schemas, viewOf } from '../view-of.js';

type RefusedGroups = Schemas['RefusedGroupList'];

const refused: Action<unknown> = {
  name: 'refused',
  isOnCollection: true,
  summary: 'list the groups that were refused',
  description:
    'List the groups that were pushed in the last 7 days and refused, because no room or role ' +
    'mapping has their names. Create a room, or give the members a role, and push the group again. ' +
    'Or map a room to the group, which creates it: then link the two in the identity provider. Or ' +
    'ignore the name.',
  run: async ({ request, path }) => {
    const { groups } = (await request('GET', `${path}/refused`)) as RefusedGroups;
    const rows = groups.map((group) => [group.display_name, formatSecond(group.refused_at)]);
    return {
      ...(rows.length === 0 && { note: 'No groups were refused.\n' }),
      sections: [{ columns: [{ title: 'GROUP', wrapAt: 60 }, { title: 'REFUSED' }], rows }],
      quiet: groups.map(({ display_name }) => display_name),
    };
  },
  examples: [
    ['rollgate group refused acme', 'all of them'],
    ['rollgate room create acme Dispatch', 'a room for the group Dispatch'],
    ['rollgate room update acme Depot --group Dispatch', 'map a room to it'],
    ['rollgate role create acme Dispatch dispatcher', 'give its members a role, without a room'],
    ['rollgate role create acme Dispatch --apply no', 'ignore it'],
    ['rollgate role delete acme Dispatch', 'no longer ignore it'],
  ],
};

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
  list: {
    summary: 'list SCIM groups',
    description: 'List the SCIM groups of a tenant, oldest first.',
    filters: [
      { flags: '--name <name>', field: 'display_name', help: 'only the group with this name' },
      { flags: '--external-id <id>', help: 'only groups with this external id' },
    ],
    examples: [['rollgate group list acme', 'all groups']],
  },
  show: {
    summary: 'show a SCIM group',
    description: 'Show a SCIM group, its room and its role.',
    examples: [['rollgate group show acme Dispatchers', 'by name']],
  },
  actions: [refused, compareAction('group')],
});

import { MAX_PRIORITY } from '../../domain/role/role-mapping.js';
import { yesNo } from '../terminal-text.js';
import { type FieldOption, yesNoOption } from '../field-option.js';
import { defineResource } from '../resource.js';
import { type Schemas, viewOf } from '../view-of.js';

const OPTIONS: readonly FieldOption[] = [
  {
    ...yesNoOption(
      '--apply',
      'apply_on_scim_provisioning',
      'give members the role; "no": the mapping has no effect, and a refused group of its name is ignored',
    ),
    byDefault: 'yes',
  },
  {
    flags: '--priority <number>',
    help: 'if several groups of a user match, the lowest number wins',
    byDefault: '100',
    type: { min: 0, max: MAX_PRIORITY },
  },
];

export const ROLE_MAPPINGS = defineResource({
  name: 'role',
  noun: 'a role mapping',
  plural: 'role mappings',
  summary: 'manage role mappings',
  description: 'Role mappings: which SCIM group gives its members which role.',
  path: '/role-mappings',
  items: 'role_mappings',
  view: viewOf<Schemas['RoleMapping']>('id'),
  fields: [
    { label: 'group', text: ({ group_display_name: group }) => group, wrapAt: 40 },
    { label: 'role', text: ({ role }) => role, wrapAt: 24 },
    { label: 'applied', text: (mapping) => yesNo(mapping.apply_on_scim_provisioning) },
    { label: 'priority', text: ({ priority }) => String(priority), align: 'right' },
    { label: 'created', time: ({ created_at }) => created_at },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ group_display_name }) => group_display_name,
  item: {
    name: '<mapping>',
    help: "the mapping's id, or the name of its group",
    condition: 'group_display_name',
  },
  create: {
    aliases: ['add'],
    summary: 'give the members of a SCIM group a role',
    description:
      'Map a SCIM group, by its name (ignoring case), to a role. The group does not have to exist ' +
      'yet, and does not need a room.',
    arguments: [
      { name: '<group>', help: 'display name of the SCIM group', field: 'group_display_name' },
      {
        name: '[role]',
        help: "role of its members; default: the tenant's default role",
        field: 'role',
      },
    ],
    options: OPTIONS,
    examples: [
      ['rollgate role create acme Dispatchers dispatcher', 'with the default priority'],
      ['rollgate role create acme "Team leads" lead --priority 10', 'wins over other groups'],
      ['rollgate role create acme "All staff" --apply no', 'ignore a group that is refused'],
    ],
  },
  list: {
    examples: [['rollgate role list acme', 'all role mappings']],
  },
  show: {
    examples: [['rollgate role show acme Dispatchers', 'by the name of the group']],
  },
  update: {
    aliases: ['change'],
    description: 'Update a role mapping; fields that are not given stay unchanged.',
    options: [
      {
        flags: '--group <name>',
        field: 'group_display_name',
        help: 'display name of another SCIM group',
      },
      { flags: '--role <role>', help: 'new role' },
      ...OPTIONS,
    ],
    examples: [
      ['rollgate role update acme Dispatchers --role lead', 'change the role'],
      ['rollgate role update acme Dispatchers --apply no', 'members lose the role'],
    ],
  },
  delete: {
    aliases: ['remove'],
    description:
      'Delete a role mapping. Members of its group lose the role; the group stays. Asks for ' +
      'confirmation.',
    warning: ({ group_display_name: group, role }, tenant) =>
      `This takes role ${role} from the members of ${group} in ${tenant}.`,
    examples: [
      ['rollgate role delete acme Dispatchers', 'asks for confirmation'],
      ['rollgate role delete acme Dispatchers --yes', 'for scripts'],
    ],
  },
});

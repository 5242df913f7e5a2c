import { type Command, Option } from 'commander';
import { z } from 'zod';
import { misuse } from '../command-failure.js';
import { confirm } from '../confirm.js';
import { printable } from '../display-width.js';
import { findRoleMapping } from '../find-by-name.js';
import { addExamples } from '../help.js';
import { addPaging, describePage, pageQueryOf } from '../paging.js';
import { parseSlug, parseWholeNumber } from '../parse-argument.js';
import { openSession } from '../session.js';
import { roleMappingTable, showRoleMapping } from '../show-role-mappings.js';
import { RoleMappingPage } from '../views.js';
import type { World } from '../world.js';

const Settings = z.object({
  group: z.string().optional(),
  role: z.string().optional(),
  apply: z.enum(['yes', 'no']).optional(),
  priority: z.number().optional(),
});

const pathOf = (slug: string): string => `/tenants/${slug}/role-mappings`;
const WHICH = "the mapping's id, or the name of its group";
const LARGEST_PRIORITY = 1_000_000;

const addSettings = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--apply <yes|no>',
        'whether members take the role, or the group may only exist',
      ).choices(['yes', 'no']),
    )
    .option(
      '--priority <number>',
      'who is in several groups takes the role of the lowest',
      parseWholeNumber(0, LARGEST_PRIORITY),
    );

/** The options as the API's fields; undefined ones are left out by JSON. */
const bodyOf = (command: Command) => {
  const { group, role, apply, priority } = Settings.parse(command.opts());
  return {
    group_display_name: group,
    role,
    apply_on_scim_provisioning: apply && apply === 'yes',
    priority,
  };
};

const addList = (role: Command, world: World): void => {
  const list = addPaging(role.command('list'))
    .summary("list a tenant's role mappings")
    .description('Lists which SCIM group gives its members which role, oldest first.')
    .argument('<slug>', "the tenant's slug", parseSlug)
    .action(async (slug: string) => {
      const session = openSession(world, list);
      const query = pageQueryOf(list);
      const answer = await session.client.request('GET', pathOf(slug), { query });
      const page = session.read(RoleMappingPage, answer);
      session.print({
        people: () => roleMappingTable(page.role_mappings, session),
        json: answer.text,
        quiet: () => page.role_mappings.map(({ id }) => id).join('\n'),
      });
      const rest = describePage(page, page.role_mappings.length, 'role mappings');
      if (page.total === 0)
        session.note(`${slug} has no role mappings. "rollgate role add" makes one.\n`);
      if (rest !== undefined) session.note(`\n${rest}\n`);
    });
  addExamples(list, [['rollgate role list acme', 'as a table']]);
};

const addAdd = (role: Command, world: World): void => {
  const add = addSettings(role.command('add'))
    .summary('give the members of a SCIM group a role')
    .description(
      'Maps a SCIM group, by its name in any case, to a role. The group need not be there yet; ' +
        'one without a room may exist then.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<group>', 'the display name of the group')
    .argument('<role>', 'what its members become')
    .action(async (slug: string, group: string, name: string) => {
      const session = openSession(world, add);
      const body = { ...bodyOf(add), group_display_name: group, role: name };
      const answer = await session.client.request('POST', pathOf(slug), { body });
      session.note(`Members of ${printable(group)} are mapped to ${printable(name)}.\n\n`);
      showRoleMapping(session, answer);
    });
  addExamples(add, [
    ['rollgate role add acme Dispatchers dispatcher', 'applies at priority 100'],
    ['rollgate role add acme "Team leads" lead --priority 10', 'goes before others'],
  ]);
};

const addChange = (role: Command, world: World): void => {
  const change = addSettings(role.command('change'))
    .summary('change a role mapping')
    .description('Changes a role mapping; what is not named stays.')
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<mapping>', WHICH)
    .option('--group <name>', 'another group')
    .option('--role <role>', 'another role')
    .action(async (slug: string, wanted: string) => {
      const body = bodyOf(change);
      if (Object.values(body).every((value) => value === undefined))
        misuse('Nothing to change: name at least one option.', 'rollgate role change --help');
      const session = openSession(world, change);
      const { id, group_display_name: group } = await findRoleMapping(session, slug, wanted);
      const path = `${pathOf(slug)}/${id}`;
      const answer = await session.client.request('PATCH', path, { body });
      session.note(`The mapping of ${printable(group)} is changed.\n\n`);
      showRoleMapping(session, answer);
    });
  addExamples(change, [
    ['rollgate role change acme Dispatchers --role lead', 'another role'],
    ['rollgate role change acme Dispatchers --apply no', 'nobody takes it any more'],
  ]);
};

const addRemove = (role: Command, world: World): void => {
  const remove = role
    .command('remove')
    .summary('remove a role mapping')
    .description(
      'Removes a role mapping: members of its group lose the role that it gave, the group stays. ' +
        'Asks for the name of the group first.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<mapping>', WHICH)
    .option('-y, --yes', 'do not ask')
    .action(async (slug: string, wanted: string) => {
      const session = openSession(world, remove);
      const found = await findRoleMapping(session, slug, wanted);
      const group = printable(found.group_display_name);
      const yes = remove.getOptionValue('yes') === true;
      const warning = `This takes the role ${printable(found.role)} from the members of ${group}.`;
      await confirm({ warning, word: found.group_display_name, yes }, world);
      await session.client.request('DELETE', `${pathOf(slug)}/${found.id}`);
      session.note(`The mapping of ${group} is removed.\n`);
    });
  addExamples(remove, [
    ['rollgate role remove acme Dispatchers', 'asks first'],
    ['rollgate role remove acme Dispatchers --yes', 'for scripts'],
  ]);
};

export const addRoleCommands = (program: Command, world: World): void => {
  const role = program
    .command('role')
    .summary('list, make, change and remove role mappings')
    .description('Role mappings: which SCIM group gives its members which role.');
  addList(role, world);
  addAdd(role, world);
  addChange(role, world);
  addRemove(role, world);
};

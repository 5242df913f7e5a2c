import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import { printable } from '../display-width.js';
import { findRoom } from '../find-by-name.js';
import { addExamples } from '../help.js';
import { addPaging, describePage, pageQueryOf } from '../paging.js';
import { parseSlug } from '../parse-argument.js';
import { openSession } from '../session.js';
import { roomTable, showRoom } from '../show-rooms.js';
import { RoomPage } from '../views.js';
import type { World } from '../world.js';

const pathOf = (slug: string): string => `/tenants/${slug}/rooms`;
const WHICH = "the room's id or name";

const addList = (room: Command, world: World): void => {
  const list = addPaging(room.command('list'))
    .summary("list a tenant's rooms")
    .description("Lists a tenant's rooms, oldest first, with the SCIM groups that stand for them.")
    .argument('<slug>', "the tenant's slug", parseSlug)
    .action(async (slug: string) => {
      const session = openSession(world, list);
      const query = pageQueryOf(list);
      const answer = await session.client.request('GET', pathOf(slug), { query });
      const page = session.read(RoomPage, answer);
      session.print({
        people: () => roomTable(page.rooms, session),
        json: answer.text,
        quiet: () => page.rooms.map(({ id }) => id).join('\n'),
      });
      const rest = describePage(page, page.rooms.length, 'rooms');
      if (page.total === 0) session.note(`${slug} has no rooms. "rollgate room add" makes one.\n`);
      if (rest !== undefined) session.note(`\n${rest}\n`);
    });
  addExamples(list, [
    ['rollgate room list acme', 'as a table'],
    ['rollgate room list acme --json | jq .total', 'for programs'],
  ]);
};

const addAdd = (room: Command, world: World): void => {
  const add = room
    .command('add')
    .summary('make a room')
    .description(
      'Makes a room. An identity provider that pushes a group of this name, in any case, finds ' +
        'it and fills it.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<name>', 'its name, which no other room of the tenant has')
    .action(async (slug: string, name: string) => {
      const session = openSession(world, add);
      const answer = await session.client.request('POST', pathOf(slug), { body: { name } });
      session.note(`Room ${printable(name)} is there.\n\n`);
      showRoom(session, answer);
    });
  addExamples(add, [['rollgate room add acme "Night dispatch"', 'ready for its group']]);
};

const addRename = (room: Command, world: World): void => {
  const rename = room
    .command('rename')
    .summary('rename a room')
    .description('Renames a room. The SCIM group that stands for it keeps its own name.')
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<room>', WHICH)
    .argument('<name>', 'the new name')
    .action(async (slug: string, wanted: string, name: string) => {
      const session = openSession(world, rename);
      const { id, name: before } = await findRoom(session, slug, wanted);
      const path = `${pathOf(slug)}/${id}`;
      const answer = await session.client.request('PATCH', path, { body: { name } });
      session.note(`Room ${printable(before)} is called ${printable(name)} now.\n\n`);
      showRoom(session, answer);
    });
  addExamples(rename, [['rollgate room rename acme "Night dispatch" Night', 'by its name']]);
};

const addRemove = (room: Command, world: World): void => {
  const remove = room
    .command('remove')
    .summary('remove a room with its memberships')
    .description(
      'Removes a room: its members leave it and its SCIM group goes, each with its event. Asks ' +
        'for the name first.',
    )
    .argument('<slug>', "the tenant's slug", parseSlug)
    .argument('<room>', WHICH)
    .option('-y, --yes', 'do not ask')
    .action(async (slug: string, wanted: string) => {
      const session = openSession(world, remove);
      const { id, name, member_count } = await findRoom(session, slug, wanted);
      const yes = remove.getOptionValue('yes') === true;
      const members = member_count === 1 ? '1 member' : `${member_count} members`;
      const warning = `This removes the room ${printable(name)} of ${slug} with its ${members}.`;
      await confirm({ warning, word: name, yes }, world);
      await session.client.request('DELETE', `${pathOf(slug)}/${id}`);
      session.note(`Room ${printable(name)} is removed.\n`);
    });
  addExamples(remove, [
    ['rollgate room remove acme Night', 'asks first'],
    ['rollgate room remove acme 1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f --yes', 'for scripts'],
  ]);
};

export const addRoomCommands = (program: Command, world: World): void => {
  const room = program
    .command('room')
    .summary('list, make, rename and remove rooms')
    .description("Rooms: where a tenant's users meet, and what its SCIM groups stand for.");
  addList(room, world);
  addAdd(room, world);
  addRename(room, world);
  addRemove(room, world);
};

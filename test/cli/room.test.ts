import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GroupId, JobId, RosterId } from '../../src/domain/ids.js';
import { idOf } from '../support/builders.js';
import { ADMIN_TOKEN, type FakeApp, makeFakeApp } from '../support/fake-app.js';
import { type CliSurroundings, runCli } from '../support/run-cli.js';

/** The gateway's own edge, so that the command and its API cannot drift apart. */
let fake: FakeApp;
let server: Server;
let url: string;
beforeEach(async () => {
  fake = makeFakeApp();
  server = createServer((request, response) => void fake.app(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const run = (words: readonly string[], more: CliSurroundings = {}) =>
  runCli(['--url', url, '--token', ADMIN_TOKEN, ...words], more);

const commandTypes = () => fake.world.submissions.map(({ command }) => command.type);

describe('room', () => {
  it('add makes a room and shows it', async () => {
    const { exitCode, out, notes } = await run(['room', 'add', 'acme', 'Night dispatch']);
    const [room] = fake.world.rooms;
    expect(exitCode).toBe(0);
    expect(notes).toContain('Room Night dispatch is there.');
    expect(out).toContain('name        Night dispatch\n');
    expect(out).toContain(`id          ${room!.id}\n`);
    expect(fake.world.submissions[0]).toMatchObject({ source: 'cli' });
  });

  it('add prints the id alone with --quiet, and the answer itself with --json', async () => {
    const quiet = await run(['room', 'add', 'acme', 'One', '--quiet']);
    expect([quiet.out, quiet.notes]).toEqual([`${fake.world.rooms[0]!.id}\n`, '']);
    const { out } = await run(['room', 'add', 'acme', 'Two', '--json']);
    expect(JSON.parse(out)).toMatchObject({ name: 'Two', group_id: null });
  });

  it('add tells that the name is taken, and fails', async () => {
    await run(['room', 'add', 'acme', 'Dispatch']);
    const { exitCode, out, notes } = await run(['room', 'add', 'acme', 'DISPATCH']);
    expect([exitCode, out]).toEqual([1, '']);
    expect(notes).toContain('NAME_TAKEN: Another room has the name "DISPATCH".');
  });

  it('list shows rooms with their groups and members', async () => {
    await run(['room', 'add', 'acme', 'Dispatch']);
    await run(['room', 'add', 'acme', 'Night']);
    const [room, night] = fake.world.rooms;
    fake.world.groups.push({
      ...room!,
      id: idOf<GroupId>(1),
      displayName: 'Dispatchers',
      externalId: null,
      roomId: room!.id,
    });
    const { out } = await run(['room', 'list', 'acme']);
    expect(out).toBe(
      [
        'NAME      SCIM GROUP   ROLE  MEMBERS  CREATED                       ROOM ID',
        `Dispatch  Dispatchers  -           0  2026-11-21T09:00Z (just now)  ${room!.id}`,
        `Night     -            -           0  2026-11-21T09:00Z (just now)  ${night!.id}`,
        '',
      ].join('\n'),
    );
    const { notes } = await run(['room', 'list', 'acme', '--limit', '1']);
    expect(notes).toContain('Rooms 1 to 1 of 2. The next ones: --offset 1');
  });

  it('list says what to do where there are none', async () => {
    const { out, notes } = await run(['room', 'list', 'acme']);
    expect([out, notes]).toEqual(['', 'acme has no rooms. "rollgate room add" makes one.\n']);
  });

  it('rename finds the room by its name in any case, or by its id', async () => {
    await run(['room', 'add', 'acme', 'Dispatch']);
    expect((await run(['room', 'rename', 'acme', 'dispatch', 'Day'])).exitCode).toBe(0);
    const { id } = fake.world.rooms[0]!;
    const { notes } = await run(['room', 'rename', 'acme', id.toUpperCase(), 'Night']);
    expect(notes).toContain('Room Day is called Night now.');
    expect(fake.world.rooms).toMatchObject([{ id, name: 'Night' }]);
  });

  it('remove asks for the name, and does nothing without it', async () => {
    await run(['room', 'add', 'acme', 'Dispatch']);
    const refused = await run(['room', 'remove', 'acme', 'Dispatch'], { typed: 'no' });
    expect(refused.exitCode).toBe(2);
    expect(refused.notes).toContain('This removes the room Dispatch of acme with its 0 members.');
    expect(fake.world.rooms).toHaveLength(1);
    await run(['room', 'remove', 'acme', 'Dispatch'], { typed: 'Dispatch' });
    expect(fake.world.rooms).toEqual([]);
  });

  it('remove tells that there is no such room', async () => {
    const byName = await run(['room', 'remove', 'acme', 'Nowhere', '--yes']);
    expect(byName.exitCode).toBe(1);
    expect(byName.notes).toContain('There is no room "Nowhere".');
    expect(byName.notes).toContain('"rollgate room list acme" shows all.');
    const byId = await run(['room', 'remove', 'acme', idOf(7), '--yes']);
    expect([byId.exitCode, byId.notes]).toMatchObject([1, /ROOM_NOT_FOUND/]);
    expect(commandTypes()).toEqual([]);
  });
});

describe('role', () => {
  const add = (...more: string[]) =>
    run(['role', 'add', 'acme', 'Dispatchers', 'dispatcher', ...more]);

  it('add maps a group to a role', async () => {
    const { exitCode, out } = await add('--priority', '10', '--apply', 'no');
    expect(exitCode).toBe(0);
    expect(out).toContain('group     Dispatchers\nrole      dispatcher\napplies   no\n');
    expect(fake.world.roleMappings).toMatchObject([
      { role: 'dispatcher', priority: 10, applyOnScimProvisioning: false },
    ]);
  });

  it('add tells that the group is mapped already', async () => {
    await add();
    const { exitCode, notes } = await add();
    expect([exitCode, notes]).toMatchObject([1, /NAME_TAKEN/]);
  });

  it('list shows what there is', async () => {
    await add();
    const { out } = await run(['role', 'list', 'acme']);
    expect(out).toBe(
      [
        'GROUP        ROLE        APPLIES  PRIORITY  CREATED                       MAPPING ID',
        `Dispatchers  dispatcher  yes           100  2026-11-21T09:00Z (just now)  ${fake.world.roleMappings[0]!.id}`,
        '',
      ].join('\n'),
    );
  });

  it('change finds the mapping by its group and changes what is named', async () => {
    await add();
    const { exitCode } = await run(['role', 'change', 'acme', 'DISPATCHERS', '--apply', 'no']);
    expect(exitCode).toBe(0);
    expect(fake.world.roleMappings).toMatchObject([
      { groupDisplayName: 'Dispatchers', role: 'dispatcher', applyOnScimProvisioning: false },
    ]);
    const nothing = await run(['role', 'change', 'acme', 'Dispatchers']);
    expect([nothing.exitCode, nothing.notes]).toMatchObject([2, /Nothing to change/]);
  });

  it('remove asks for the name of the group', async () => {
    await add();
    const { notes } = await run(['role', 'remove', 'acme', 'dispatchers'], {
      typed: 'Dispatchers',
    });
    expect(notes).toContain('This takes the role dispatcher from the members of Dispatchers.');
    expect(fake.world.roleMappings).toEqual([]);
    const again = await run(['role', 'remove', 'acme', 'Dispatchers', '--yes']);
    expect([again.exitCode, again.notes]).toMatchObject([
      1,
      /There is no role mapping for a group/,
    ]);
  });

  it('add refuses what is neither yes nor no before anything is sent', async () => {
    const { exitCode } = await add('--apply', 'maybe');
    expect([exitCode, commandTypes()]).toEqual([2, []]);
  });
});

describe('job list', () => {
  it('shows how far large changes are', async () => {
    const at = new Date('2026-11-21T08:00:00.000Z');
    fake.world.jobs.push({
      id: idOf<JobId>(1),
      tenantId: fake.tenant.id,
      work: { kind: 'roles.recompute', rosterId: idOf<RosterId>(2) },
      cursor: '',
      done: 1_250,
      total: 5_000,
      readableBy: [],
      requestId: 'request-1',
      createdAt: at,
      updatedAt: at,
      finishedAt: null,
    });
    const { out } = await run(['job', 'list', 'acme', '--state', 'running']);
    expect(out).toBe(
      [
        'WORK            STATE                   DONE  BEGAN                           ENDED  JOB ID',
        `work roles out  running  1250 of 5000 (25 %)  2026-11-21T08:00Z (1 hour ago)  -      ${idOf(1)}`,
        '',
      ].join('\n'),
    );
    const none = await run(['job', 'list', 'acme', '--state', 'done']);
    expect([none.out, none.notes]).toEqual(['', 'acme has no done jobs.\n']);
  });
});

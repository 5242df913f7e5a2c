import { beforeAll, describe, expect, it } from 'vitest';
import { createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import type { components } from '../../src/client/index.js';
import { commandOf } from '../../src/cli/commands/explain.js';
import { operatorCli } from './real-cli.js';

type Remedy = components['schemas']['ExplainedRemedy'];
const CALL = { method: 'PATCH', path: '/' } as const;

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await gateway.tenant();
  const create = (email: string, display_name: string) =>
    createResource(tenant.native, '/users', { email, display_name });
  const ada = await create('ada@example.com', 'Ada Lovelace');
  await create('grace@example.com', 'Grace Hopper');
  await create('grace.murray@example.com', 'Grace Murray');
  for (const room of ['Dispatch', 'Dispatch night', 'Workshop'])
    expect((await cli(['room', 'create', tenant.slug, room])).exitCode).toBe(0);
  const { stdout } = await cli(['room', 'show', tenant.slug, 'Workshop', '--quiet']);
  await tenant.native('PATCH', `/rooms/${stdout.trim()}`, { display_name: 'Workshop' });
  await tenant.native('POST', `/rooms/${stdout.trim()}/members`, { user_id: ada });
});

/** A command line without escapes, as its words. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

const explain = (...words: readonly string[]) => cli(['explain', tenant.slug, ...words]);

describe('explain', () => {
  it('says why a user is not in a room, both given by name', async () => {
    const { exitCode, stdout, stderr } = await explain('ada', '--room', 'Dispatch');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^Why is Ada Lovelace \(ada@example\.com\) not in .*Dispatch/);
    expect(stdout).toMatch(/\nWhy:\n- .+\n/);
    expect(stdout).toMatch(/\nWhat would change it:\n- .+\n/);
  });

  it('lists every room with its answer', async () => {
    const { exitCode, stdout, stderr } = await explain('ada');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `\nWhat would change one: rollgate explain ${tenant.slug} ada --room <room>\n`,
    });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^ROOM +MEMBER +WHY$/),
      expect.stringMatching(/^Dispatch +no +.+/),
      expect.stringMatching(/^Dispatch night +no +.+/),
      expect.stringMatching(/^Workshop +yes +.+/),
      '',
    ]);
    expect((await explain('ada', '-q')).stdout).toBe('Workshop\n');
    expect(await explain('none')).toMatchObject({ exitCode: 1 });
  });

  it('says why a user has a role', async () => {
    const { stdout } = await explain('ADA@example.com', '--role');
    expect(stdout).toMatch(/^Why does Ada Lovelace .* have the role "member"\?\n/);
  });

  it.each([
    [['ada', '--room', 'dispatch', '-q'], 'no\n'],
    [['ada', '--room', 'work', '-q'], 'yes\n'],
    [['ada', '--role', '-q'], 'member\n'],
    [['lovelace', '--role', '-q'], 'member\n'],
    [['love', '--room', 'night', '-q'], 'no\n'],
  ])('answers %j with one word', async (words, answer) => {
    expect(await explain(...words)).toMatchObject({ exitCode: 0, stdout: answer });
  });

  it('names commands that would change it, which work', async () => {
    const run = async (room: string, verb: string) => {
      const { stdout } = await explain('grace.murray@example.com', '--room', room);
      expect(stdout).not.toMatch(/POST|PATCH|DELETE/);
      const [, command = ''] =
        new RegExp(`\n {2}rollgate (member ${verb} .+)\n`).exec(stdout) ?? [];
      return cli(wordsOf(command));
    };
    expect(await run('Dispatch night', 'add')).toMatchObject({ exitCode: 0 });
    expect(await run('Dispatch night', 'update')).toMatchObject({
      stderr: 'Updated grace.murray@example.com, who may transmit.\n',
    });
    const added = await explain('grace.murray@example.com', '--room', 'Dispatch night');
    expect(added.stdout).toMatch(/\n {2}rollgate log list \S+ --request-id \S+\n/);
  });

  it('names no command that its own parser does not know', async () => {
    const room = { room_id: 'x', room_name: 'Night watch' };
    const user = { user_id: 'x', user_name: 'ada@example.com' };
    const remedies: { readonly [Action in Remedy['action']]: Omit<Remedy, 'action'> } = {
      add_member: { ...CALL, ...room, ...user },
      remove_member: { ...CALL, ...room, ...user },
      update_member: { ...CALL, ...room, ...user, body: { tx_permission: true } },
      map_room: { ...CALL, ...room, body: { display_name: "Ada's team" } },
      create_room: { ...CALL, body: { name: 'Night watch' } },
      rename_room: { ...CALL, ...room, body: { name: 'Night' } },
      raise_seats: { ...CALL, body: { seat_capacity: 3 } },
      reactivate_user: { ...CALL, ...user },
      allow_removals: { ...CALL, key_id: 'rg_4fJx09Qa' },
      provision_rooms: { ...CALL, body: { room_provisioning: 'automatic' } },
      plugin: { ...CALL, command: ['connector', 'retry', 'acme', 'hr-export', '4711'] },
      update_role_mapping: { ...CALL, group_name: 'Night', body: { priority: 3 } },
    };
    for (const [action, remedy] of Object.entries(remedies)) {
      const [, ...words] = commandOf({ ...remedy, action: action as Remedy['action'] }, 'acme');
      // Nothing listens there: what cannot be parsed does not get that far.
      const env = { ROLLGATE_URL: 'http://127.0.0.1:9' };
      expect([words, await cli(words, { env })]).toMatchObject([
        words,
        { exitCode: 1, stderr: expect.stringContaining('Cannot reach') as string },
      ]);
    }
  });

  it('prints the response as JSON', async () => {
    const { stdout } = await explain('ada', '--room', 'Dispatch', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ answer: { member: false } });
  });

  it('lists the candidates if several users or rooms match', async () => {
    const users = await explain('grace', '--role');
    expect(users).toMatchObject({ exitCode: 1, stdout: '' });
    expect(users.stderr).toContain('"grace" matches 2 users. Specify one of them.\n');
    expect(users.stderr).toMatch(/ {2}user: Grace Hopper \(grace@example\.com\)\n/);
    const rooms = await explain('ada', '--room', 'disp');
    expect(rooms.stderr).toContain('"disp" matches 2 rooms.');
    expect(rooms.stderr).toContain('Dispatch night');
  });

  it('says what to do if nothing matches', async () => {
    const room = await explain('ada', '--room', 'Garage');
    expect(room).toMatchObject({ exitCode: 0 });
    expect(room.stdout).toContain('\nNo room is named "Garage". The provisioning log has no push');
    expect(room.stdout).toContain(`\n  rollgate room create ${tenant.slug} Garage\n`);
    const user = await explain('zoe', '--role');
    expect(user.stderr).toMatch(/^error: User "zoe" not found\.\n {2}No user has this id, name or/);
    expect(user.stderr).toContain(`\n  List all: rollgate user list ${tenant.slug}\n`);
    expect(await explain('ada', '--room', 'Dispatch', '--role')).toMatchObject({ exitCode: 2 });
  });

  it('suggests what may be meant by a mistyped name', async () => {
    const room = await explain('ada', '--room', 'Dispach');
    expect(room.stdout).toContain('- The room "Dispatch" has a similar name. It has no group.\n');
    expect(room.stdout).not.toContain('Workshop');
    for (const typed of ['lovelce', 'Ada Lovelcae', 'adaa@example.com']) {
      const user = await explain(typed, '--role');
      expect(user).toMatchObject({ exitCode: 1, stdout: '' });
      expect(user.stderr).toContain(`error: User "${typed}" not found.\n`);
      expect(user.stderr).toMatch(/ {4}\S{36} {2}Ada Lovelace \(ada@example\.com\)\n/);
      expect(user.stderr).not.toContain('Grace');
    }
    const shown = await cli(['user', 'show', tenant.slug, 'lovelce']);
    expect([shown.exitCode, shown.stderr]).toMatchObject([1, /Did you mean:\n {4}\S{36} {2}Ada/]);
    expect(shown.stderr).not.toContain('Give the id');
  });

  it('suggests for a change, too, but never takes a part of a name for the whole', async () => {
    const update = ['user', 'update', tenant.slug, 'lovelace', '--name', 'Ada King'];
    const { exitCode, stderr } = await cli(update);
    expect([exitCode, stderr]).toMatchObject([1, /Did you mean:\n {4}\S{36} {2}Ada Lovelace/]);
    expect(stderr).toContain(
      'error: User "lovelace" not found.\n' +
        '  Give the id or email address: a name is not enough to change a user.\n',
    );
    const member = await cli(['member', 'list', tenant.slug, 'Workshp']);
    expect([member.exitCode, member.stderr]).toMatchObject([
      1,
      /^error: Room "Workshp" not found\.\n {2}Did you mean:\n {4}\S{36} {2}Workshop\n/,
    ]);
  });

  it('explains a deleted user by name', async () => {
    const id = await createResource(tenant.native, '/users', { email: 'gone@example.com' });
    await tenant.scim('DELETE', `/Users/${id}`);
    const { stdout } = await explain('gone@example.com', '--role');
    expect(stdout).toContain('gone@example.com was deleted by the API key "test" over SCIM on ');
  });
});

describe('user show', () => {
  it('adds the role with its reason, and the last changes', async () => {
    const { stdout } = await cli(['user', 'show', tenant.slug, 'Ada']);
    expect(stdout).toMatch(/\nRole:\n.*member.*\n/);
    expect(stdout).toMatch(/\nLast changes:\nTIME .*\n.*applied .*member\.add/);
    const { stdout: json } = await cli(['user', 'show', tenant.slug, 'Ada', '--json']);
    const shown = JSON.parse(json) as Readonly<Record<string, unknown>>;
    expect(shown).toMatchObject({
      email: 'ada@example.com',
      why_this_role: { answer: { role: 'member' } },
      timeline: [{ outcome: 'applied' }, {}],
    });
  });

  it('shows the rooms and where the user may transmit', async () => {
    const { stdout } = await cli(['user', 'show', tenant.slug, 'Ada']);
    expect(stdout).toMatch(/\nRooms:\nROOM .*\nWorkshop +no /);
  });
});

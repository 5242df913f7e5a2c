import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await gateway.tenant();
});

const run = (noun: string, verb: string, ...words: readonly string[]) =>
  cli([noun, verb, tenant.slug, ...words]);

const rooms = async () =>
  (await tenant.native<{ rooms: Record<string, unknown>[] }>('GET', '/rooms')).body.rooms;

const createRoom = async (name: string): Promise<string> =>
  (await run('room', 'create', name, '--quiet')).stdout.trim();

/** As an identity provider does: the group is mapped to the room of its name. */
const pushGroup = (displayName: string) =>
  tenant.scim('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName,
  });

describe('room', () => {
  it('create creates a room and shows it', async () => {
    const { exitCode, stdout, stderr } = await run('room', 'create', 'Night dispatch');
    const [room] = await rooms();
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Created room Night dispatch.\n');
    expect(stdout).toContain('name        Night dispatch\n');
    expect(stdout).toContain(`id          ${String(room!.id)}\n`);
  });

  it('create prints only the id with --quiet, and the JSON of the API with --json', async () => {
    const quiet = await run('room', 'create', 'One', '--quiet');
    expect([quiet.stdout, quiet.stderr]).toEqual([`${String((await rooms())[0]!.id)}\n`, '']);
    const { stdout } = await run('room', 'create', 'Two', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Two', group_id: null });
  });

  it('show --web prints the address of its page', async () => {
    const id = await createRoom('Dispatch');
    const { stdout } = await run('room', 'show', 'Dispatch', '--web');
    expect(stdout).toBe(`${(await gateway.open()).url}/dashboard/t/${tenant.slug}/rooms/${id}\n`);
  });

  it('list shows rooms with their SCIM groups and members', async () => {
    const dispatch = await createRoom('Dispatch');
    const night = await createRoom('Night');
    expect((await pushGroup('dispatch')).status).toBe(201);
    const { stdout } = await run('room', 'list');
    const time = /\d{4}-\d\d-\d\dT\d\d:\d\dZ/g;
    expect(stdout.replace(time, '<time>')).toBe(
      [
        'NAME      SCIM GROUP  ROLE  MEMBERS  CREATED                       ID',
        `Dispatch  dispatch    -           0  <time> (just now)  ${dispatch}`,
        `Night     -           -           0  <time> (just now)  ${night}`,
        '',
      ].join('\n'),
    );
    const { stderr } = await run('room', 'list', '--limit', '1');
    expect(stderr).toContain('Showing rooms 1 to 1 of 2. Next page: --after 1');
  });

  it('list says how to create a room if there is none', async () => {
    const { stdout, stderr } = await run('room', 'list');
    expect([stdout, stderr]).toEqual([
      '',
      `No rooms in ${tenant.slug}. Create one with "rollgate room create".\n`,
    ]);
  });

  it('show finds a room by its name, ignoring case, or by its id', async () => {
    const id = await createRoom('Dispatch');
    const { stdout } = await run('room', 'show', 'dispatch');
    expect(stdout).toContain('SCIM group  -\n');
    const byId = await run('room', 'show', id.toUpperCase(), '--json');
    expect(JSON.parse(byId.stdout)).toMatchObject({ id, name: 'Dispatch', member_count: 0 });
  });

  it('update renames a room', async () => {
    const id = await createRoom('Dispatch');
    const { stderr } = await run('room', 'update', 'dispatch', '--name', 'Night');
    expect(stderr).toContain('Updated room Night.');
    expect(await rooms()).toMatchObject([{ id, name: 'Night' }]);
  });

  it('delete asks for the name', async () => {
    await createRoom('Dispatch');
    const words = ['room', 'delete', tenant.slug, 'Dispatch'];
    const refused = await cli(words, { input: 'no' });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      `This deletes room Dispatch of ${tenant.slug} with 0 members. This cannot be undone.`,
    );
    expect(await rooms()).toHaveLength(1);
    const { stderr } = await cli(words, { input: 'Dispatch' });
    expect(stderr).toContain('Deleted room Dispatch.');
    expect(await rooms()).toEqual([]);
  });

  it('delete fails if there is no such room', async () => {
    const byName = await run('room', 'delete', 'Nowhere', '--yes');
    expect(byName.exitCode).toBe(1);
    expect(byName.stderr).toBe(
      `error: Room "Nowhere" not found.\n  List all: rollgate room list ${tenant.slug}\n`,
    );
    const id = '1c8e4f0a-5b2d-4c6e-9f70-3a1b2c3d4e5f';
    const byId = await run('room', 'delete', id, '--yes');
    expect([byId.exitCode, byId.stderr]).toMatchObject([1, /ROOM_NOT_FOUND/]);
  });

  it('accepts the former verbs', async () => {
    expect((await run('room', 'add', 'Dispatch')).exitCode).toBe(0);
    expect((await run('room', 'remove', 'Dispatch', '--yes')).exitCode).toBe(0);
  });
});

describe('role', () => {
  const create = (...more: string[]) => run('role', 'create', 'Dispatchers', 'dispatcher', ...more);
  const mappings = async () => {
    const operator = await gateway.operator();
    const { body } = await operator<{ role_mappings: Record<string, unknown>[] }>(
      'GET',
      `/tenants/${tenant.slug}/role-mappings`,
    );
    return body.role_mappings;
  };

  it('create maps a group to a role', async () => {
    const { exitCode, stdout, stderr } = await create('--priority', '10', '--apply', 'no');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Created role mapping Dispatchers.');
    expect(stdout).toContain(
      'group     Dispatchers\nrole      dispatcher\napplied   no\npriority  10\n',
    );
    expect(await mappings()).toMatchObject([
      { role: 'dispatcher', priority: 10, apply_on_scim_provisioning: false },
    ]);
  });

  it('list and show print role mappings', async () => {
    await create();
    const { stdout } = await run('role', 'list');
    expect(stdout).toMatch(
      /^GROUP +ROLE +APPLIED +PRIORITY +CREATED +ID\nDispatchers +dispatcher +yes +100 +\S+ \(just now\) +\S{36}\n$/,
    );
    const shown = await run('role', 'show', 'dispatchers', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ group_display_name: 'Dispatchers' });
  });

  it('update changes what is given', async () => {
    await create();
    const { stderr } = await run('role', 'update', 'DISPATCHERS', '--apply', 'no');
    expect(stderr).toContain('Updated role mapping Dispatchers.');
    expect(await mappings()).toMatchObject([
      { group_display_name: 'Dispatchers', role: 'dispatcher', apply_on_scim_provisioning: false },
    ]);
    const nothing = await run('role', 'update', 'Dispatchers');
    expect([nothing.exitCode, nothing.stderr]).toMatchObject([2, /Nothing to update/]);
  });

  it('delete asks for the name of the group', async () => {
    await create();
    const { stderr } = await cli(['role', 'delete', tenant.slug, 'dispatchers'], {
      input: 'Dispatchers',
    });
    expect(stderr).toContain('This takes role dispatcher from the members of Dispatchers');
    expect(stderr).toContain('Deleted role mapping Dispatchers.');
    expect(await mappings()).toEqual([]);
    const again = await run('role', 'delete', 'Dispatchers', '--yes');
    expect([again.exitCode, again.stderr]).toMatchObject([1, /Role mapping "Dispatchers" not fou/]);
  });
});

describe('group', () => {
  beforeEach(async () => {
    await createRoom('Dispatch');
    expect((await pushGroup('Dispatch')).status).toBe(201);
  });

  it('list shows SCIM groups with their rooms', async () => {
    const [room] = await rooms();
    const { stdout } = await run('group', 'list', '--name', 'dispatch');
    expect(stdout).toMatch(/^NAME +ROLE +MEMBERS +UPDATED +ROOM ID +ID\nDispatch +- +0 /);
    expect(stdout).toContain(String(room!.id));
    const none = await run('group', 'list', '--name', 'Nothing');
    expect([none.stdout, none.stderr]).toEqual(['', 'No matching groups.\n']);
  });

  it('refused lists groups without a room, until their names are ignored', async () => {
    const names = async () => (await run('group', 'refused', '--quiet')).stdout;
    await pushGroup('All staff');
    await eventually(async () => expect(await names()).toBe('All staff\n'));
    expect((await run('group', 'refused')).stdout).toMatch(/^GROUP +REFUSED\nAll staff +\d{4}-/);
    await run('role', 'create', 'All staff', '--apply', 'no');
    expect(await names()).toBe('');
    await run('role', 'delete', 'All staff', '--yes');
    expect(await names()).toBe('All staff\n');
  });

  it('show finds a group by its name', async () => {
    const { stdout } = await run('group', 'show', 'DISPATCH', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ display_name: 'Dispatch', member_count: 0 });
  });
});

describe('job', () => {
  it('list and show print the progress of large changes', async () => {
    const { body } = await tenant.native<{ id: string }>('POST', '/sms-lists', { name: 'Large' });
    const members = Array.from({ length: 4_500 }, (_, at) => ({
      phone_number: `+4915${String(at).padStart(9, '0')}`,
    }));
    await tenant.native('PUT', `/sms-lists/${body.id}/members`, { members });
    const { stdout } = await run('job', 'list');
    expect(stdout).toMatch(/^WORK +STATE +PROGRESS +STARTED +FINISHED +ID\nchange SMS list +/);
    const id = (await run('job', 'list', '--quiet')).stdout.trim();
    const shown = await run('job', 'show', id, '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, kind: 'sms-list.apply' });
    const unknown = await run('job', 'show', 'nothing');
    expect([unknown.exitCode, unknown.stderr]).toMatchObject([1, /JOB_NOT_FOUND/]);
  });

  it('list says so if there are none', async () => {
    const none = await run('job', 'list', '--state', 'running');
    expect([none.stdout, none.stderr]).toEqual(['', 'No matching jobs.\n']);
  });
});

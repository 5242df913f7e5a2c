import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createResource,
  createUsersInBulk,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { GROUP_URN } from '../support/scim-urns.js';

const gateway = TestGateway.use();
let operator: Client;
let tenant: TestTenant;
let base: string;
let room: string;
let users: readonly string[];
let mapping: string;

beforeAll(async () => {
  operator = await gateway.operator();
  tenant = await gateway.tenant();
  base = `/tenants/${tenant.slug}`;
  room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
  await createResource(operator, `${base}/rooms`, { name: 'Depot' });
  const map = (group_display_name: string, role: string, priority: number, applies = true) =>
    createResource(operator, `${base}/role-mappings`, {
      group_display_name,
      role,
      priority,
      apply_on_scim_provisioning: applies,
    });
  await map('Admins', 'admin', 1);
  mapping = await map('Dispatch', 'dispatcher', 10);
  await map('Interns', 'intern', 0, false);
  users = await createUsersInBulk(tenant, 'user', 12);
  const push = (displayName: string, members: readonly string[]) =>
    createResource(tenant.scim, '/Groups', {
      schemas: [GROUP_URN],
      displayName,
      members: members.map((value) => ({ value })),
    });
  await push('Dispatch', users);
  await push('Admins', users.slice(0, 3));
});

const test = (body: object) => operator('POST', `${base}/role-mappings/test`, body);

describe('the test bench of role mappings', () => {
  it("checks a user with the tenant's own attributes", async () => {
    const { slug } = await gateway.tenant();
    const attributes = [{ name: 'floor', type: 'integer' }];
    await operator('PUT', `/tenants/${slug}/schema-extension`, { attributes });
    const urn = `urn:ietf:params:scim:schemas:extension:${slug}:2.0:User`;
    const testWith = (floor: unknown) =>
      operator('POST', `/tenants/${slug}/role-mappings/test`, {
        user: { userName: 'ada@example.com', [urn]: { floor } },
        groups: [],
      });
    expect((await testWith(5)).status).toBe(200);
    expect((await testWith('fifth')).status).toBe(400);
  });

  it('shows role, rooms and which mapping decides', async () => {
    const { status, body } = await test({
      user: { userName: 'user-5@example.com' },
      groups: ['dispatch', 'ADMINS', 'Interns', 'Depot', 'Unknown'],
    });
    expect([status, body]).toMatchObject([
      200,
      {
        role: 'admin',
        mapping: { group_display_name: 'Admins' },
        default_role: 'member',
        matches: [
          { role: 'admin', applies: true },
          { role: 'intern', applies: false, reason: '"Apply on SCIM provisioning" is off.' },
          { role: 'dispatcher', applies: false, reason: 'The mapping of "Admins" comes first.' },
        ],
        rooms: [{ id: room, name: 'Dispatch' }, { name: 'Depot' }],
        groups: [
          { display_name: 'dispatch', exists: true, room: { id: room }, problem: null },
          { exists: true, room: null, problem: null },
          {
            exists: false,
            room: null,
            problem: expect.stringContaining('ROOM_NOT_FOUND') as string,
          },
          { exists: false, room: { name: 'Depot' }, problem: null },
          {
            exists: false,
            room: null,
            problem: expect.stringContaining('ROOM_NOT_FOUND') as string,
          },
        ],
        user: { id: users[5], role: 'dispatcher' },
      },
    ]);
  });

  it('agrees with what provisioning does', async () => {
    const real = await operator('GET', `${base}/users/${users[1]}`);
    const { body } = await test({ groups: ['Dispatch', 'Admins'] });
    expect(body['role']).toBe(real.body['role']);
    expect((await test({ groups: [] })).body).toMatchObject({
      role: 'member',
      mapping: null,
      user: null,
    });
  });

  it('changes nothing and refuses what SCIM refuses', async () => {
    const before = await operator('GET', `${base}/commands?limit=1`);
    for (const body of [
      {},
      { groups: 'Dispatch' },
      { groups: Array.from({ length: 201 }, (_, at) => `g-${at}`) },
      { groups: [], user: { displayName: 'no user name' } },
      { groups: [], user: { userName: 'a', active: 'perhaps' } },
    ])
      expect([(await test(body)).status, body]).toEqual([400, body]);
    expect((await operator('GET', `${base}/commands?limit=1`)).body).toEqual(before.body);
  });
});

describe('the dry run of a mapping change', () => {
  it('counts users by their role before and after', async () => {
    const path = `${base}/role-mappings/${mapping}`;
    const { body } = await operator('PATCH', path, { role: 'lead' }, { prefer: 'dry-run' });
    // The three admins keep their role.
    expect(body).toMatchObject({
      role_change_count: 9,
      role_change_summary: [{ from: 'dispatcher', to: 'lead', count: 9 }],
      remaining: 0,
    });
    const first = await operator('PATCH', path, { priority: 0 }, { prefer: 'dry-run' });
    expect(first.body).toMatchObject({
      role_change_summary: [{ from: 'admin', to: 'dispatcher', count: 3 }],
    });
  });
});

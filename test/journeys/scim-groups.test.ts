import { beforeAll, describe, expect, it } from 'vitest';
import { createUsersInBulk, TestGateway, type TestTenant } from '../support/gateway.js';

const gateway = TestGateway.use();
let tenant: TestTenant;

beforeAll(async () => {
  await gateway.open();
  tenant = await gateway.tenant();
});

interface Group {
  readonly id: string;
  readonly displayName: string;
  readonly members: readonly { readonly value: string; readonly display: string }[];
}
interface List {
  readonly totalResults: number;
  readonly Resources: readonly Group[];
}

const ENTRA_CHECK = (group: string, user: string): string =>
  `/Groups?attributes=id&filter=${encodeURIComponent(`id eq "${group}" and members eq "${user}"`)}`;

describe('a group pushed by SCIM', () => {
  it('is refused until its room exists, and then shares its members with the room', async () => {
    const operator = await gateway.operator();
    const [ada = '', grace = ''] = await createUsersInBulk(tenant, 'push', 2);
    const push = () => tenant.scim<Group>('POST', '/Groups', { displayName: 'Dispatch' });
    expect(await push()).toMatchObject({ status: 404, body: { error: 'ROOM_NOT_FOUND' } });
    const room = await operator<{ id: string }>('POST', `/tenants/${tenant.slug}/rooms`, {
      name: 'dispatch',
    });
    expect(room.status).toBe(201);
    const pushed = await push();
    expect(pushed.status).toBe(201);
    const { id } = pushed.body;

    const add = { op: 'Add', path: 'members', value: [{ value: ada }, { value: grace }] };
    expect((await tenant.scim('PATCH', `/Groups/${id}`, { Operations: [add] })).status).toBe(204);
    const one = { op: 'Remove', path: 'members', value: [{ value: grace }] };
    expect((await tenant.scim('PATCH', `/Groups/${id}`, { Operations: [one] })).status).toBe(204);
    expect((await tenant.native('GET', `/rooms/${room.body.id}/members`)).body).toMatchObject({
      members: [{ user_id: ada, tx_permission: false }],
    });
    expect((await tenant.scim('GET', `/Users/${ada}`)).body).toMatchObject({
      groups: [{ value: id, display: 'Dispatch', type: 'direct' }],
    });
    expect((await tenant.scim<List>('GET', ENTRA_CHECK(id, ada))).body.totalResults).toBe(1);
    expect((await tenant.scim<List>('GET', ENTRA_CHECK(id, grace))).body.totalResults).toBe(0);

    expect((await tenant.scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await tenant.native('GET', `/rooms/${room.body.id}`)).body).toMatchObject({
      member_count: 0,
      group_id: null,
    });
    expect((await tenant.scim('GET', `/Users/${ada}`)).body).not.toHaveProperty('groups');
  });
});

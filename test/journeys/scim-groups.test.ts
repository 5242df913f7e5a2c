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

  it('may have thousands of members, which are streamed completely', async () => {
    const operator = await gateway.operator();
    await operator('POST', `/tenants/${tenant.slug}/rooms`, { name: 'All hands' });
    const ids = await createUsersInBulk(tenant, 'large', 5_000);
    const members = ids.map((value) => ({ value }));
    const body = { displayName: 'All hands', members };
    const pushed = await tenant.scim<Group>('POST', '/Groups', body);
    expect(pushed.status).toBe(201);
    const path = `/Groups/${pushed.body.id}`;
    const read = () => tenant.scim<Group>('GET', path);
    // Such a large change may continue after the response (decisions.md 3).
    await expect
      .poll(async () => (await read()).body.members.length, { timeout: 60_000 })
      .toBe(5_000);

    const whole = await read();
    expect(whole.headers.get('content-length')).toBeNull();
    expect(whole.headers.get('content-type')).toBe('application/scim+json');
    expect(whole.body.members.map(({ value }) => value)).toEqual(ids.toSorted());
    const named = await tenant.scim<Group>('GET', `${path}?attributes=members.display`);
    expect(named.body.members).toHaveLength(5_000);
    expect(named.body.members.every(({ display }) => display.startsWith('User '))).toBe(true);
    const listed = await tenant.scim<List>('GET', '/Groups?count=500');
    const found = listed.body.Resources.find(({ id }) => id === whole.body.id);
    expect(found?.members).toHaveLength(5_000);

    const head = await tenant.scim('GET', `${path}?excludedAttributes=members`);
    expect(head.body).not.toHaveProperty('members');
    const tag = whole.headers.get('etag') ?? '';
    const unchanged = await tenant.scim('GET', path, undefined, { 'if-none-match': tag });
    expect(unchanged.status).toBe(304);
  }, 120_000);
});

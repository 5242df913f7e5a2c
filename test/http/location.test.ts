import { describe, expect, it } from 'vitest';
import { idOf } from '../support/builders.js';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';

const BASE = 'http://gateway.test';

const fake = await openEdge();

describe('Location', () => {
  const post = (path: string, body: object, token: string) =>
    requestTo(fake.app).post(path).set('Authorization', `Bearer ${token}`).send(body);

  it('is in a 201 of the native API, with the public URL, and in a replayed one', async () => {
    const create = () =>
      post('/v1/acme/users', { email: 'ada@example.com' }, fake.key).set('Idempotency-Key', 'k1');
    const { status, body, headers } = await create();
    const { id } = body as { id: string };
    expect([status, headers['location']]).toEqual([201, `${BASE}/v1/acme/users/${id}`]);
    const list = await post('/v1/acme/sms-lists', { name: 'Night' }, fake.key);
    const listId = (list.body as { id: string }).id;
    expect(list.headers['location']).toBe(`${BASE}/v1/acme/sms-lists/${listId}`);
  });

  it("is in a 201 of the operators' API if the resource can be read", async () => {
    const tenants = '/admin/v1/tenants';
    const tenant = await post(tenants, { slug: 'globex', name: 'Globex' }, ADMIN_TOKEN);
    expect(tenant.headers['location']).toBe(`${BASE}${tenants}/globex`);
    const room = await post(`${tenants}/acme/rooms`, { name: 'Dispatch' }, ADMIN_TOKEN);
    const { id } = room.body as { id: string };
    expect(room.headers['location']).toBe(`${BASE}${tenants}/acme/rooms/${id}`);
    const user = await post('/v1/acme/users', { email: 'bob@example.com' }, fake.key);
    const userId = (user.body as { id: string }).id;
    const member = await post(`/v1/acme/rooms/${id}/members`, { user_id: userId }, fake.key);
    const members = `${BASE}/v1/acme/rooms/${id}/members`;
    expect([member.status, member.headers['location']]).toEqual([201, `${members}/${userId}`]);
    const mapping = { group_display_name: 'Dispatch', role: 'lead' };
    const mapped = await post(`${tenants}/acme/role-mappings`, mapping, ADMIN_TOKEN);
    const mappingId = (mapped.body as { id: string }).id;
    expect(mapped.headers['location']).toBe(`${BASE}${tenants}/acme/role-mappings/${mappingId}`);
    const key = { description: 'x', scopes: ['usage'] };
    const made = await post(`${tenants}/acme/api-keys`, key, ADMIN_TOKEN);
    expect([made.status, made.headers['location']]).toEqual([201, undefined]);
  });

  it('is in no other response', async () => {
    const user = { email: 'dry@example.com' };
    const dry = await post('/v1/acme/users?dry_run=true', user, fake.key);
    expect([dry.status, dry.headers['location']]).toEqual([200, undefined]);
    const refused = await post(`/v1/acme/rooms/${idOf(1)}/members`, { user_id: 'x' }, fake.key);
    expect([refused.status, refused.headers['location']]).toEqual([404, undefined]);
  });
});

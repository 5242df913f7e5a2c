import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { createResource, type TestTenant, TestGateway } from '../support/gateway.js';
import { peopleFile } from '../support/people-file.js';
import { GROUP_URN, USER_URN } from '../support/scim-urns.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-customers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
// A connector of the first tenant.
const file = peopleFile(folder, 'tenant-1');
const gateway = TestGateway.use(() => ({ ROLLGATE_CONFIG: file.config }));

let api = '';
let withConnector: TestTenant;
beforeAll(async () => {
  api = `${(await gateway.open()).url}/admin/v1`;
  withConnector = await gateway.tenant();
});

interface SetupLink {
  readonly id: string;
  readonly url: string;
}

type Body = Readonly<Record<string, unknown>>;

/** What the administrator of a customer reads, with a link of their tenant. */
const openAsCustomer = async ({ slug }: TestTenant, fields: object = {}) => {
  const operator = await gateway.operator();
  const path = `/tenants/${slug}/setup-links`;
  const { body: link } = await operator<SetupLink>('POST', path, { provider: 'entra', ...fields });
  const { body: listed } = await operator<{ setup_links: SetupLink[] }>('GET', path);
  const browser = new Browser({ 'x-rollgate-session': 'setup' });
  const { status } = await browser.request(`${api}/setup-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: link.url.split('#')[1] }),
  });
  expect(status).toBe(201);
  const read = async (to: string, of = slug): Promise<{ status: number; body: Body }> => {
    const response = await browser.request(`${api}/tenants/${of}${to}`);
    return { status: response.status, body: (await response.json()) as Body };
  };
  const { csrf_token: csrf } = (await (await browser.request(`${api}/session`)).json()) as {
    readonly csrf_token: string;
  };
  const write = async (method: string, to: string, body?: object) => {
    const response = await browser.request(`${api}/tenants/${slug}${to}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-csrf-token': csrf,
        origin: new URL(api).origin,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
  };
  return { read, write, id: listed.setup_links[0]?.id ?? '' };
};

describe("a customer's page", () => {
  it('names no program, connector or operator, whatever is asked for', async () => {
    // Given a user that a connector created, one that it could not, and a program that changes rooms
    const tenant = withConnector;
    const { slug, scim } = tenant;
    const operator = await gateway.operator();
    const base = `/tenants/${slug}`;
    const { body: program } = await operator<{ key: string; key_id: string; prefix: string }>(
      'POST',
      `${base}/api-keys`,
      { description: 'canary-billing', scopes: ['api:rooms:write', 'api:users:read'] },
    );
    const room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
    file.save([
      { id: 'canary-record-1', mail: 'ada@example.com', name: 'Ada', team: 'Dispatch' },
      { id: 'canary-record-2', mail: 'eve@example.com', name: 'Eve', start: 'someday' },
    ]);
    const path = `${base}/connectors/hr/runs`;
    const { body: run } = await operator<{ id: string }>('POST', path, {});
    await eventually(async () =>
      expect((await operator('GET', `${path}/${run.id}`)).body).toMatchObject({ state: 'done' }),
    );
    const { body: found } = await scim<{ Resources: readonly { readonly id: string }[] }>(
      'GET',
      '/Users?filter=userName%20eq%20%22ada@example.com%22',
    );
    const user = found.Resources[0]?.id ?? '';
    const byProgram = await gateway.tenantWithKey(slug, program.key);
    await byProgram.native('DELETE', `/rooms/${room}/members/${user}`);
    await byProgram.native('POST', `/rooms/${room}/members`, { user_id: user });
    expect((await byProgram.native('GET', '/sms-lists')).status).toBe(403);
    // And an operator who reads why the user is in the room
    const why = `/explain?user=${user}&room=Dispatch`;
    expect(JSON.stringify((await operator('GET', base + why)).body)).toMatch(/canary-billing/);
    // When the customer reads all that they may
    const { read, write } = await openAsCustomer(tenant, { integrations: true });
    const hook = await write('POST', '/webhooks', {
      url: 'https://hooks.example.com/rollgate',
      events: ['*'],
    });
    const paths = [
      ...['/setup', '/connections', `/connections/${tenant.keyId}`],
      ...[`/connections/${tenant.keyId}/cycles`, '/failed-authentications', '/commands'],
      ...['/rooms', `/rooms/${room}`, `/rooms/${room}/members`, '/users', `/users/${user}`],
      ...['/webhooks', `/webhooks/${String(hook.body['id'])}`],
      ...[why, `/explain?user=${user}&role`, '/explain?room=Dispatch'],
    ];
    for (const path of paths) {
      const { status, body } = await read(path);
      expect([path, status]).toEqual([path, 200]);
      // Then nothing of the others is there
      const text = JSON.stringify(body);
      expect([path, text]).toEqual([
        path,
        expect.not.stringMatching(/canary|admin.token|connector|"hr"/i),
      ]);
      for (const hidden of [program.key_id, program.prefix, run.id])
        expect([path, text.includes(hidden)]).toEqual([path, false]);
    }
    // And a person that only the connector has is unknown
    const unknown = '/explain?user=eve@example.com&room=Dispatch';
    expect((await operator('GET', base + unknown)).status).toBe(200);
    expect(await read(unknown)).toMatchObject({ status: 404, body: { error: 'USER_NOT_FOUND' } });
  });

  it('shows the connection, what was refused and who is in which room, of one tenant', async () => {
    // Given an identity provider with a refused push, and an operator who changes a room
    const tenant = await gateway.tenant();
    const { slug, scim } = tenant;
    const operator = await gateway.operator();
    const base = `/tenants/${slug}`;
    const room = await createResource(operator, `${base}/rooms`, { name: 'Dispatch' });
    const user = await createResource(scim, '/Users', {
      schemas: [USER_URN],
      userName: 'ada@example.com',
    });
    await operator('POST', `${base}/rooms/${room}/members`, { user_id: user });
    expect(
      (await scim('POST', '/Groups', { schemas: [GROUP_URN], displayName: 'Nowhere' })).status,
    ).toBe(404);
    // And a refused change by an operator
    expect((await operator('POST', `${base}/rooms`, { name: 'dispatch' })).status).toBe(409);
    const customer = await openAsCustomer(tenant);
    // When the customer reads their page
    expect((await customer.read('/setup')).body).toMatchObject({
      provider: 'entra',
      link_expires_at: expect.any(String) as unknown,
      integrations: false,
      seats: { provisioned: 1 },
    });
    // Then there are the connections of identity providers, with cycles
    const { body } = await customer.read('/connections');
    expect(body).toMatchObject({ connections: [{ key_id: tenant.keyId, requests_24h: 2 }] });
    const cycles = await customer.read(`/connections/${tenant.keyId}/cycles`);
    expect(cycles.body).toMatchObject({ cycles: [{ refused: 1, users_changed: 1 }] });
    // And what their provider was refused, nothing else, whatever is asked for
    const refused = { commands: [{ source: 'scim', error: 'ROOM_NOT_FOUND' }], next: null };
    expect((await customer.read('/commands')).body).toMatchObject(refused);
    expect((await customer.read('/commands?outcome=applied&source=admin')).body).toMatchObject(
      refused,
    );
    // And why the user is in the room, without names of operators and without calls
    const { body: why } = await customer.read('/explain?user=ada@example.com&room=Dispatch');
    expect(why).toMatchObject({ answer: { member: true } });
    expect(JSON.stringify(why)).toContain('operator of your provider');
    expect(JSON.stringify(why)).not.toMatch(/admin.token|remedy|\/admin\/v1/);
    const members = await customer.read(`/rooms/${room}/members`);
    expect(members.body).toMatchObject({ members: [{ email: 'ada@example.com' }] });
    expect((await customer.read('/users?search=ada')).body).toMatchObject({ total: 1 });
  });

  it('has nothing of keys for other programs, of other tenants and of operators', async () => {
    // Given a key without a SCIM scope, and a wrong request with the key of another tenant
    const tenant = await gateway.tenant();
    const other = await gateway.tenant();
    const operator = await gateway.operator();
    const { body: key } = await operator<{ key_id: string }>(
      'POST',
      `/tenants/${tenant.slug}/api-keys`,
      { description: 'Billing', scopes: ['api:users:read'] },
    );
    const { url } = await gateway.open();
    const wrong = await fetch(`${url}/v1/${tenant.slug}/scim/v2/Users`, {
      headers: { authorization: `Bearer ${other.key}` },
    });
    expect(wrong.status).toBe(401);
    // When the customer reads it
    const customer = await openAsCustomer(tenant);
    // Then there is no trace of them
    const { body: connections } = await customer.read('/connections');
    expect(connections).toMatchObject({ connections: [{ key_id: tenant.keyId }], total: 1 });
    for (const path of [`/connections/${key.key_id}`, `/connections/${key.key_id}/cycles`])
      expect((await customer.read(path)).body).toMatchObject({ error: 'API_KEY_NOT_FOUND' });
    expect((await customer.read('/failed-authentications')).body).toMatchObject({
      failed_authentications: [{ reason: 'unknown_key', key_prefix: null }],
    });
    for (const path of ['/setup', '/connections', '/commands', '/rooms', '/users', '/explain'])
      expect([path, (await customer.read(path, other.slug)).status]).toEqual([path, 404]);
    const denied = ['', '/overview', '/api-keys', '/events', '/live', '/setup-links', '/webhooks'];
    for (const path of denied)
      expect([path, (await customer.read(path)).status]).toEqual([path, 403]);
  });

  it('has webhooks of the customer if the link allows it, and none of the operator', async () => {
    // Given a webhook of the operator
    const tenant = await gateway.tenant();
    const operator = await gateway.operator();
    const hook = { url: 'https://hooks.example.com/rollgate', events: ['*'] };
    const own = await createResource(operator, `/tenants/${tenant.slug}/webhooks`, hook);
    const { read, write } = await openAsCustomer(tenant, { integrations: true });
    expect((await read('/setup')).body).toMatchObject({ integrations: true });
    // When the customer adds another
    const created = await write('POST', '/webhooks', { ...hook, description: 'Ours' });
    expect(created).toMatchObject({ status: 201, body: { secret: expect.any(String) as unknown } });
    const id = String(created.body['id']);
    // Then they have this one only
    expect((await read('/webhooks')).body).toMatchObject({
      webhooks: [{ id, description: 'Ours' }],
      total: 1,
    });
    expect((await read(`/webhooks/${own}`)).status).toBe(404);
    expect((await write('POST', `/webhooks/${own}/test`)).status).toBe(404);
    expect((await write('DELETE', `/webhooks/${own}`)).status).toBe(404);
    expect((await write('PATCH', `/webhooks/${id}`, { status: 'disabled' })).status).toBe(403);
    expect((await operator('GET', `/tenants/${tenant.slug}/webhooks`)).body).toMatchObject({
      total: 2,
    });
    expect((await write('DELETE', `/webhooks/${id}`)).status).toBe(204);
  });

  it('ends at once when its link is revoked', async () => {
    const tenant = await gateway.tenant();
    const { read, id } = await openAsCustomer(tenant);
    expect((await read('/rooms')).status).toBe(200);
    const operator = await gateway.operator();
    await operator('DELETE', `/tenants/${tenant.slug}/setup-links/${id}`);
    await eventually(async () => expect((await read('/rooms')).status).toBe(401));
  });
});

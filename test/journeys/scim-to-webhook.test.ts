import { verify } from '@octokit/webhooks-methods';
import { beforeAll, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(env);
let tenant: TestTenant;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const patchOf = (...Operations: object[]) => ({ schemas: [PATCH], Operations });

beforeAll(async () => {
  await open();
  await gateway.open();
  tenant = await gateway.tenant({ seat_capacity: 2 });
});

describe('a push from an identity provider', () => {
  it('shows at once in both interfaces, and reaches the receiver signed', async () => {
    const webhook = await tenant.native<{ secret: string }>('POST', '/webhooks', {
      url: receiver().url,
      events: ['*'],
    });
    expect(webhook.status).toBe(201);

    const created = await tenant.scim<{ id: string; meta: { location: string } }>(
      'POST',
      '/Users',
      {
        schemas: [USER],
        userName: 'grace@example.com',
        name: { givenName: 'Grace', familyName: 'Hopper' },
        emails: [{ value: 'grace@example.com', type: 'work', primary: true }],
        active: 'True',
        password: 'never kept',
      },
      { 'content-type': 'application/scim+json; charset=ISO-8859-1' },
    );
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(created.body.meta.location);
    expect(JSON.stringify(created.body)).not.toContain('never kept');
    const { id } = created.body;

    expect((await tenant.native('GET', `/users/${id}`)).body).toMatchObject({
      email: 'grace@example.com',
      display_name: 'Grace Hopper',
      active: true,
      role: 'member',
    });

    const off = patchOf({ op: 'Replace', path: 'active', value: 'False' });
    expect((await tenant.scim('PATCH', `/Users/${id}`, off)).body).toMatchObject({ active: false });
    const on = patchOf({ op: 'replace', value: { active: true, 'name.familyName': 'Murray' } });
    expect((await tenant.scim('PATCH', `/Users/${id}`, on)).status).toBe(200);
    expect((await tenant.scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await tenant.scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await tenant.native('GET', `/users/${id}`)).body).toMatchObject({
      error: 'USER_NOT_FOUND',
    });

    const deliveries = await receiver().received(6, 10_000);
    const envelopes = deliveries.map(({ json }) => json as { event: string; seq: number });
    expect(envelopes.map(({ event, seq }) => [seq, event])).toEqual([
      [1, 'user.created'],
      [2, 'user.deactivated'],
      [3, 'user.updated'],
      [4, 'user.reactivated'],
      [5, 'user.deactivated'],
      [6, 'user.deleted'],
    ]);
    for (const { body, headers, isGenuine } of deliveries) {
      expect(isGenuine(webhook.body.secret)).toBe(true);
      const signature = String(headers['x-service-signature']);
      expect(await verify(webhook.body.secret, body.toString('utf8'), signature)).toBe(true);
    }
    expect(new Set(deliveries.map(({ headers }) => headers['x-service-delivery'])).size).toBe(6);
  });

  it('takes exactly the seats there are, and says why there are no more', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        tenant.scim('POST', '/Users', { schemas: [USER], userName: `seat${at}@example.com` }),
      ),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    expect(outcomes.find(({ status }) => status === 403)?.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '403',
      error: 'SEAT_CAPACITY_REACHED',
    });
    expect((await tenant.native('GET', '/usage')).body).toEqual({
      seat_capacity: 2,
      seats_provisioned: 2,
      seats_available: 0,
    });
  });

  it('is the same at the address that the document literally writes', async () => {
    const atRoot = await tenant.native<{ Resources: { meta: { location: string } }[] }>(
      'GET',
      '/Users?count=1',
    );
    const canonical = await tenant.scim('GET', '/Users?count=1');
    expect(atRoot.body).toEqual(canonical.body);
    expect(atRoot.body.Resources[0]?.meta.location).toContain(`/v1/${tenant.slug}/scim/v2/Users/`);
  });
});

describe('a key', () => {
  it('that is deleted is refused at once', async () => {
    const { key, keyId } = await gateway.makeKey(tenant.slug);
    const other = await gateway.tenantWith(tenant.slug, key);
    expect((await other.native('GET', '/me')).body).toMatchObject({ key_id: keyId });
    const operator = await gateway.operator();
    const path = `/tenants/${tenant.slug}/api-keys/${keyId}`;
    expect((await operator('DELETE', path)).status).toBe(204);
    expect((await other.native('GET', '/me')).status).toBe(401);
  });

  it('of another tenant, an unknown key and an unknown tenant get one and the same answer', async () => {
    const stranger = await gateway.tenant();
    const answers = await Promise.all(
      [
        await gateway.tenantWith(tenant.slug, stranger.key),
        await gateway.tenantWith('no-such-tenant', tenant.key),
        await gateway.tenantWith(tenant.slug, 'rg_00000000_nonsense'),
      ].map(({ native }) => native('GET', '/users')),
    );
    const bodies = answers.map(({ status, body: { request_id: _id, ...body } }) => ({
      status,
      body,
    }));
    expect(bodies[0]?.status).toBe(401);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });
});

describe('the provisioning log', () => {
  it('tells who did what through which door, and what came of it', async () => {
    const operator = await gateway.operator();
    const { body } = await operator<{ commands: Record<string, unknown>[] }>(
      'GET',
      `/tenants/${tenant.slug}/commands?type=user.patch`,
    );
    expect(body.commands[0]).toMatchObject({
      type: 'user.patch',
      source: 'scim',
      actor: { kind: 'api-key', id: tenant.keyId, name: 'test' },
      outcome: 'applied',
      error: null,
    });
    expect(body.commands[0]?.['subject']).toMatchObject({ kind: 'user' });
  });
});

describe('a tenant that is deleted', () => {
  it('is gone for its keys at once, and leaves its slug', async () => {
    const leaving = await gateway.tenant();
    await leaving.scim('POST', '/Users', { schemas: [USER], userName: 'last@example.com' });
    const operator = await gateway.operator();
    expect((await operator('DELETE', `/tenants/${leaving.slug}`)).status).toBe(204);
    expect((await leaving.native('GET', '/users')).status).toBe(401);
    expect((await operator('GET', `/tenants/${leaving.slug}`)).status).toBe(404);
    const again = await operator('POST', '/tenants', { slug: leaving.slug, name: 'again' });
    expect(again.status).toBe(201);
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'order-4711' };

  it('makes a repeated POST one: same answer, one user, one event', async () => {
    const repeating = await gateway.tenant();
    const body = { email: 'once@example.com', display_name: 'Once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => repeating.native('POST', '/users', body, headers)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect((await repeating.native('GET', '/usage')).body.seats_provisioned).toBe(1);
    const other = { ...body, display_name: 'Other' };
    const { status, body: refusal } = await repeating.native('POST', '/users', other, headers);
    expect([status, refusal.error]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  it('shows the same secret again to who repeats a registration', async () => {
    const repeating = await gateway.tenant();
    const body = { url: 'https://example.com/hook', events: ['user.created'] };
    const first = await repeating.native('POST', '/webhooks', body, headers);
    const second = await repeating.native('POST', '/webhooks', body, headers);
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect((await repeating.native('GET', '/webhooks')).body.total).toBe(1);
  });

  it('that is no token is refused', async () => {
    const { status } = await tenant.native(
      'POST',
      '/users',
      { email: 'x@example.com' },
      { 'idempotency-key': 'two words' },
    );
    expect(status).toBe(400);
  });
});

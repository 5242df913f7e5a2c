import { verify } from '@octokit/webhooks-methods';
import { beforeAll, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { PATCH_URN, USER_URN } from '../support/scim-urns.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(env);
let tenant: TestTenant;

const patchOf = (...Operations: object[]) => ({ schemas: [PATCH_URN], Operations });

beforeAll(async () => {
  await open();
  await gateway.open();
  tenant = await gateway.tenant({ seat_capacity: 2 });
});

describe('a user pushed by an identity provider', () => {
  it('is visible in both interfaces at once, and reaches the receiver in signed webhooks', async () => {
    const webhook = await tenant.native<{ secret: string }>('POST', '/webhooks', {
      url: receiver().url,
      events: ['*'],
    });
    expect(webhook.status).toBe(201);

    const created = await tenant.scim<{ id: string; meta: { location: string } }>(
      'POST',
      '/Users',
      {
        schemas: [USER_URN],
        userName: 'grace@example.com',
        name: { givenName: 'Grace', familyName: 'Hopper' },
        emails: [{ value: 'grace@example.com', type: 'work', primary: true }],
        active: 'True',
        password: 'never stored',
      },
      { 'content-type': 'application/scim+json; charset=ISO-8859-1' },
    );
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(created.body.meta.location);
    expect(JSON.stringify(created.body)).not.toContain('never stored');
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
    for (const { body, headers, hasValidSignature } of deliveries) {
      expect(hasValidSignature(webhook.body.secret)).toBe(true);
      const signature = String(headers['x-service-signature']);
      expect(await verify(webhook.body.secret, body.toString('utf8'), signature)).toBe(true);
    }
    expect(new Set(deliveries.map(({ headers }) => headers['x-service-delivery'])).size).toBe(6);
  });

  it('gets a seat until none is left, then is refused with SEAT_CAPACITY_REACHED', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        tenant.scim('POST', '/Users', { schemas: [USER_URN], userName: `seat${at}@example.com` }),
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

  it("is also served at the tenant's root, with the canonical location", async () => {
    const atRoot = await tenant.native<{ Resources: { meta: { location: string } }[] }>(
      'GET',
      '/Users?count=1',
    );
    const canonical = await tenant.scim('GET', '/Users?count=1');
    expect(atRoot.body).toEqual(canonical.body);
    expect(atRoot.body.Resources[0]?.meta.location).toContain(`/v1/${tenant.slug}/scim/v2/Users/`);
  });
});

describe('an API key', () => {
  it('is refused as soon as it is deleted', async () => {
    const { key, keyId } = await gateway.createKey(tenant.slug);
    const other = await gateway.tenantWithKey(tenant.slug, key);
    expect((await other.native('GET', '/me')).body).toMatchObject({ key_id: keyId });
    const operator = await gateway.operator();
    const path = `/tenants/${tenant.slug}/api-keys/${keyId}`;
    expect((await operator('DELETE', path)).status).toBe(204);
    expect((await other.native('GET', '/me')).status).toBe(401);
  });

  it('of another tenant gets the same response as an unknown key and an unknown tenant', async () => {
    const other = await gateway.tenant();
    const responses = await Promise.all(
      [
        await gateway.tenantWithKey(tenant.slug, other.key),
        await gateway.tenantWithKey('no-such-tenant', tenant.key),
        await gateway.tenantWithKey(tenant.slug, 'rg_00000000_nonsense'),
      ].map(({ native }) => native('GET', '/users')),
    );
    const bodies = responses.map(({ status, body: { request_id: _id, ...body } }) => ({
      status,
      body,
    }));
    expect(bodies[0]?.status).toBe(401);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });
});

describe('the provisioning log', () => {
  it('shows type, source, actor and outcome of a command', async () => {
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

describe('a deleted tenant', () => {
  it('rejects its keys at once, and its slug can be used again', async () => {
    const deleted = await gateway.tenant();
    await deleted.scim('POST', '/Users', { schemas: [USER_URN], userName: 'last@example.com' });
    const operator = await gateway.operator();
    expect((await operator('DELETE', `/tenants/${deleted.slug}`)).status).toBe(204);
    expect((await deleted.native('GET', '/users')).status).toBe(401);
    expect((await operator('GET', `/tenants/${deleted.slug}`)).status).toBe(404);
    const again = await operator('POST', '/tenants', { slug: deleted.slug, name: 'again' });
    expect(again.status).toBe(201);
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'order-4711' };

  it('makes repeated POSTs create one user and return the same response', async () => {
    const repeating = await gateway.tenant();
    const body = { email: 'once@example.com', display_name: 'Once' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => repeating.native('POST', '/users', body, headers)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect((await repeating.native('GET', '/usage')).body.seats_provisioned).toBe(1);
    const other = { ...body, display_name: 'Other' };
    const { status, body: refusal } = await repeating.native('POST', '/users', other, headers);
    expect([status, refusal.error]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  it('makes a repeated registration return the same secret', async () => {
    const repeating = await gateway.tenant();
    const body = { url: 'https://example.com/hook', events: ['user.created'] };
    const first = await repeating.native('POST', '/webhooks', body, headers);
    const second = await repeating.native('POST', '/webhooks', body, headers);
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect((await repeating.native('GET', '/webhooks')).body.total).toBe(1);
  });

  it('is refused if it is not a token', async () => {
    const { status } = await tenant.native(
      'POST',
      '/users',
      { email: 'x@example.com' },
      { 'idempotency-key': 'two words' },
    );
    expect(status).toBe(400);
  });
});

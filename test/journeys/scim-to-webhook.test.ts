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
});

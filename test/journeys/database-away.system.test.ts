import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type CutProxy, openCutProxy, throughProxy } from '../support/cut-proxy.js';
import { createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { USER_URN } from '../support/scim-urns.js';
import { eventually } from '../support/eventually.js';

let proxy: CutProxy;
let tenant: TestTenant;

/** The gateway connects to its database through the proxy. */
const gateway = TestGateway.use((uri) => ({ ROLLGATE_MONGODB_URI: throughProxy(uri, proxy) }));

const user = (name: string) => ({
  schemas: [USER_URN],
  userName: `${name}@example.com`,
});

const readyStatus = async (): Promise<number> => {
  const { url } = await gateway.open();
  return (await fetch(`${url}/readyz`)).status;
};

beforeAll(async () => {
  const { hostname, port } = new URL(inject('mongodbUri'));
  proxy = await openCutProxy({ host: hostname, port: Number(port) });
  await gateway.open();
  tenant = await gateway.tenant();
});

afterAll(async () => {
  proxy.restore();
  await gateway.stop();
  await proxy.close();
});

describe('an unavailable database', () => {
  it('makes every request fail with 503 and Retry-After', async () => {
    const id = await createResource(tenant.scim, '/Users', user('before'));
    const target = { url: 'https://receiver.example/', events: ['*'] };
    const hook = `/webhooks/${await createResource(tenant.native, '/webhooks', target)}`;
    proxy.cut();
    const answers = await Promise.all([
      tenant.scim('POST', '/Users', user('during')),
      tenant.scim('GET', `/Users/${id}`),
      tenant.scim('GET', '/Users?filter=userName%20eq%20%22before@example.com%22'),
      tenant.native('GET', '/users'),
      tenant.native('PATCH', `/users/${id}`, { active: false }),
      tenant.native('GET', '/rooms'),
      tenant.native('GET', '/sms-lists'),
      tenant.native('GET', '/events'),
      tenant.native('GET', '/webhooks'),
      tenant.native('GET', hook),
      tenant.native('GET', `${hook}/deliveries`),
      tenant.native('POST', `${hook}/test`, undefined, { 'idempotency-key': 'once' }),
    ]);
    for (const { status, headers, body } of answers) {
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'UNAVAILABLE' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(body)).not.toMatch(/mongo|127\.0\.0\.1|ECONN/i);
    }
    await eventually(async () => expect(await readyStatus()).toBe(503));
  });

  it('leaves no trace of refused requests once it is available again', async () => {
    proxy.restore();
    await eventually(async () => expect(await readyStatus()).toBe(200));
    await eventually(async () => {
      const { status } = await tenant.scim('POST', '/Users', user('after'));
      expect([201, 409]).toContain(status);
    });
    const { body } = await tenant.native<{ users: { email: string }[] }>('GET', '/users');
    const emails = body.users.map(({ email }) => email);
    expect(emails).toContain('after@example.com');
    expect(emails).not.toContain('during@example.com');
  });

  it('makes requests fail with 503 also if it hangs', async () => {
    proxy.freeze();
    const { status } = await tenant.scim('POST', '/Users', user('frozen'));
    expect(status).toBe(503);
    proxy.restore();
    await eventually(async () => expect(await readyStatus()).toBe(200));
  });
});

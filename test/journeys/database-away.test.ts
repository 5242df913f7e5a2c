import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type CutProxy, openCutProxy } from '../support/cut-proxy.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';

let proxy: CutProxy;
let tenant: TestTenant;

/** The gateway reaches its database through the proxy only. */
const gateway = TestGateway.use((uri) => {
  const through = new URL(uri);
  through.host = `127.0.0.1:${proxy.port}`;
  through.searchParams.set('directConnection', 'true');
  through.searchParams.delete('replicaSet');
  return { ROLLGATE_MONGODB_URI: through.href };
});

const user = (name: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@example.com`,
});

const statusOfReady = async (): Promise<number> => {
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
  proxy.mend();
  await gateway.stop();
  await proxy.close();
});

describe('while the database is away', () => {
  it('every request is 503 with Retry-After: never 404, never a false success', async () => {
    const made = await tenant.scim<{ id: string }>('POST', '/Users', user('before'));
    expect(made.status).toBe(201);
    const webhook = await tenant.native<{ id: string }>('POST', '/webhooks', {
      url: 'https://receiver.example/',
      events: ['*'],
    });
    expect(webhook.status).toBe(201);
    const hook = `/webhooks/${webhook.body.id}`;
    proxy.cut();
    const answers = await Promise.all([
      tenant.scim('POST', '/Users', user('during')),
      tenant.scim('GET', `/Users/${made.body.id}`),
      tenant.scim('GET', '/Users?filter=userName%20eq%20%22before@example.com%22'),
      tenant.native('GET', '/users'),
      tenant.native('PATCH', `/users/${made.body.id}`, { active: false }),
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
    await vi.waitFor(async () => expect(await statusOfReady()).toBe(503), 5_000);
  });

  it('nothing that was refused is there afterwards, and work goes on', async () => {
    proxy.mend();
    await vi.waitFor(async () => expect(await statusOfReady()).toBe(200), 15_000);
    await vi.waitFor(async () => {
      const { status } = await tenant.scim('POST', '/Users', user('after'));
      expect([201, 409]).toContain(status);
    }, 15_000);
    const { body } = await tenant.native<{ users: { email: string }[] }>('GET', '/users');
    const emails = body.users.map(({ email }) => email);
    expect(emails).toContain('after@example.com');
    expect(emails).not.toContain('during@example.com');
  });

  it('a database that hangs is 503 too, and no request hangs with it', async () => {
    proxy.freeze();
    const { status } = await tenant.scim('POST', '/Users', user('frozen'));
    expect(status).toBe(503);
    proxy.mend();
    await vi.waitFor(async () => expect(await statusOfReady()).toBe(200), 15_000);
  });
});

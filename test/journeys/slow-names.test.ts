import { beforeAll, expect, it, vi } from 'vitest';
import { createNameResolver } from '../../src/plugin/outbound/name-resolver.js';
import { type DnsServer, openDnsServer } from '../support/dns-server.js';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';

/** More than the engine makes attempts at once, and far more than look-ups. */
const DEAD = 100;
/** How long a name without an answer keeps its place: longer than this test may take. */
const NEVER_MS = 600_000;

let dns: DnsServer;
const { open, receiver, env } = useReceiver(['hooks.test']);
const gateway = TestGateway.use(() => ({ ...env(), ROLLGATE_WEBHOOKS_RETRY: '' }), {
  names: {
    resolve: (...asked) => names().resolve(...asked),
    close: () => names().close(),
  },
});
let opened: ReturnType<typeof createNameResolver> | undefined;
const names = () =>
  (opened ??= createNameResolver({
    servers: [dns.address],
    limits: { tryMs: NEVER_MS, timeoutMs: NEVER_MS },
  }));

beforeAll(async () => {
  dns = await openDnsServer();
  await open();
  await gateway.open();
});

const subscribe = async (tenant: TestTenant, url: string): Promise<void> => {
  const made = await tenant.native('POST', '/webhooks', { url, events: ['user.created'] });
  expect(made.status).toBe(201);
};

const makeUser = async (tenant: TestTenant, name: string): Promise<void> => {
  const email = `${name}@example.com`;
  expect((await tenant.native('POST', '/users', { email, display_name: name })).status).toBe(201);
};

it('names of one tenant without an answer delay no other tenant’s deliveries', async () => {
  dns.zone.set('hooks.test', { addresses: ['127.0.0.1'], ttl: 0 });
  const [bad, good] = [await gateway.tenant(), await gateway.tenant()];
  for (let each = 0; each < DEAD; each += 1) {
    dns.zone.set(`dead-${each}.test`, 'silent');
    await subscribe(bad, `https://dead-${each}.test/hook`);
  }
  await subscribe(good, `https://hooks.test:${receiver().port}/good`);
  await makeUser(bad, 'ada');
  await makeUser(bad, 'grace');
  const silent = () => new Set(dns.asked.filter((name) => name.startsWith('dead-'))).size;
  await vi.waitFor(() => expect(silent()).toBe(4), 10_000);
  for (const name of ['joan', 'mary', 'edith']) await makeUser(good, name);
  // While the others' names keep their places.
  await receiver().received(3, 20_000);
  expect(receiver().requests.map(({ path }) => path)).toEqual(['/good', '/good', '/good']);
  expect(silent()).toBe(4);
  // So that the gateway need not wait for them when it stops.
  names().close();
}, 60_000);

import { beforeAll, expect, it } from 'vitest';
import { createNameResolver } from '../../src/plugin/outbound/name-resolver.js';
import { type DnsServer, startDnsServer } from '../support/dns-server.js';
import { createResource, TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';

/** More than the concurrent attempts of the engine, and far more than the concurrent lookups. */
const DEAD = 90;
/** The timeout of a lookup: longer than the test. */
const NEVER_MS = 600_000;

let dns: DnsServer;
const { open, receiver, env } = useReceiver(['hooks.test']);
const gateway = TestGateway.use(() => ({ ...env(), ROLLGATE_WEBHOOKS_RETRY: '' }), {
  names: {
    resolve: (...parameters) => names().resolve(...parameters),
    close: () => names().close(),
  },
});
let opened: ReturnType<typeof createNameResolver> | undefined;
const names = () =>
  (opened ??= createNameResolver({
    servers: [dns.address],
    limits: { serverTimeoutMs: NEVER_MS, timeoutMs: NEVER_MS },
  }));

beforeAll(async () => {
  dns = await startDnsServer();
  await open();
  await gateway.open();
});

const subscribe = ({ native }: TestTenant, url: string): Promise<string> =>
  createResource(native, '/webhooks', { url, events: ['user.created'] });

const createUser = ({ native }: TestTenant, name: string): Promise<string> =>
  createResource(native, '/users', { email: `${name}@example.com` });

it("unanswered DNS lookups of one tenant do not delay another tenant's deliveries", async () => {
  dns.zone.set('hooks.test', { addresses: ['127.0.0.1'], ttl: 0 });
  const [bad, good] = [await gateway.tenant(), await gateway.tenant()];
  for (let number = 0; number < DEAD; number += 1) {
    dns.zone.set(`dead-${number}.test`, 'silent');
    await subscribe(bad, `https://dead-${number}.test/hook`);
  }
  await subscribe(good, `https://hooks.test:${receiver().port}/good`);
  await createUser(bad, 'ada');
  await createUser(bad, 'grace');
  const silent = () => new Set(dns.queries.filter((name) => name.startsWith('dead-'))).size;
  await eventually(() => expect(silent()).toBe(4));
  for (const name of ['joan', 'mary', 'edith']) await createUser(good, name);
  // The lookups of the dead names are still in flight.
  await receiver().received(3, 20_000);
  expect(receiver().requests.map(({ path }) => path)).toEqual(['/good', '/good', '/good']);
  expect(silent()).toBe(4);
  // Otherwise the gateway would wait for them when it stops.
  names().close();
}, 60_000);

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../scripts/receiver/authority.js';
import {
  type Behaviour,
  type HttpsReceiver,
  openHttpsReceiver,
} from '../../scripts/receiver/https-receiver.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestGateway, type TestTenant } from '../support/gateway.js';

const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), 'rollgate-isolation-'));
const ca = join(folder, 'ca.pem');
writeFileSync(ca, authority.certificate);

const gateway = TestGateway.use(() => ({
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_CA: ca,
}));
const receivers: HttpsReceiver[] = [];
let tenant: TestTenant;

const GOOD = 17;
const EVENTS = 60;
const APART_MS = 150;

const openReceiver = async (behaviour: Behaviour): Promise<HttpsReceiver> => {
  const receiver = await openHttpsReceiver(authority.issue(['localhost']));
  receiver.behave(behaviour);
  receivers.push(receiver);
  return receiver;
};

const register = async (url: string): Promise<void> => {
  const made = await tenant.native('POST', '/webhooks', { url, events: ['user.*'] });
  expect(made.status).toBe(201);
};

beforeAll(async () => {
  tenant = await gateway.tenant();
});
afterAll(async () => {
  await Promise.all(receivers.map(({ close }) => close()));
  rmSync(folder, { recursive: true });
});

it('receivers that hang, drip and answer without end cost the other seventeen nothing', async () => {
  const good = await openReceiver({ kind: 'answer', status: 200 });
  const bad = [
    await openReceiver({ kind: 'hang' }),
    await openReceiver({ kind: 'drip', status: 200 }),
    await openReceiver({ kind: 'endless', status: 200 }),
  ];
  for (const { url } of bad) await register(url);
  for (let number = 0; number < GOOD; number += 1) await register(`${good.url}/${number}`);

  const committed = new Map<string, number>();
  const provision = async (): Promise<void> => {
    const email = `${randomUUID()}@example.com`;
    const made = await tenant.native('POST', '/users', { email, display_name: 'Ada' });
    expect(made.status).toBe(201);
    committed.set(email, Date.now());
  };
  await provision();
  await good.received(GOOD, 20_000);
  const before = process.memoryUsage();
  const provisioned: Promise<void>[] = [];
  for (let event = 1; event < EVENTS; event += 1) {
    provisioned.push(provision());
    await pause(APART_MS);
  }
  await Promise.all(provisioned);
  const requests = await good.received(GOOD * EVENTS, 30_000);
  const after = process.memoryUsage();

  const latencies = requests
    .map(({ at, json }) => {
      const { data } = json as { readonly data: { readonly user: { readonly email: string } } };
      return at.getTime() - (committed.get(data.user.email) ?? 0);
    })
    .sort((one, other) => one - other);
  expect(latencies[Math.floor(latencies.length * 0.95)]).toBeLessThan(2_000);
  // The receivers are in this process, too, and keep what they were sent: about 3 KiB each.
  const kept = requests.length * 3 * 1_024;
  expect(after.rss - before.rss - kept).toBeLessThan(100 * 1_024 * 1_024);
  for (const receiver of bad) expect(receiver.requests.length).toBeGreaterThan(0);
}, 120_000);

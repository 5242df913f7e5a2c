import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { TestGateway, useReceiver } from '../support/gateway.js';

const WRONG_BY_MS = 600_000;
const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(() => ({ ...env(), ROLLGATE_WEBHOOKS_RETRY: '' }));

beforeAll(async () => {
  await open();
});
afterAll(() => void vi.useRealTimers());

it("a gateway whose clock is ten minutes fast signs webhooks with the database's time", async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + WRONG_BY_MS, shouldAdvanceTime: true });
  const tenant = await gateway.tenant();
  const webhook = await tenant.native<{ id: string; secret: string }>('POST', '/webhooks', {
    url: receiver().url,
    events: ['user.created'],
  });
  await tenant.native('POST', '/users', { email: 'ada@example.com', display_name: 'Ada' });
  await tenant.native('POST', `/webhooks/${webhook.body.id}/test`);
  const requests = await receiver().received(2, 10_000);
  vi.useRealTimers();
  // The verifier tolerates five minutes.
  const verifier = new Webhook(webhook.body.secret);
  for (const { headers, body } of requests)
    expect(() => verifier.verify(body, headers as Record<string, string>)).not.toThrow();
});

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

it('a gateway whose clock is ten minutes ahead signs with the database’s time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + WRONG_BY_MS, shouldAdvanceTime: true });
  const tenant = await gateway.tenant();
  const made = await tenant.native<{ id: string; secret: string }>('POST', '/webhooks', {
    url: receiver().url,
    events: ['user.created'],
  });
  await tenant.native('POST', '/users', { email: 'ada@example.com', display_name: 'Ada' });
  await tenant.native('POST', `/webhooks/${made.body.id}/test`);
  const requests = await receiver().received(2, 10_000);
  vi.useRealTimers();
  // It takes five minutes at most.
  const verifier = new Webhook(made.body.secret);
  for (const { headers, body } of requests)
    expect(() => verifier.verify(body, headers as Record<string, string>)).not.toThrow();
});

import { Writable } from 'node:stream';
import pino from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway, useReceiver } from '../support/gateway.js';

const { open, receiver } = useReceiver();
const lines: Record<string, unknown>[] = [];
const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
  lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
  done();
};
const gateway = TestGateway.use(() => ({ ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8' }), {
  log: pino({ level: 'info' }, new Writable({ write })),
});
beforeAll(open);

const REASON = 'The certificate is from an authority not trusted here, or its chain is incomplete.';

it('a receiver whose authority is not trusted is in the log once, and in the list of plugins', async () => {
  const tenant = await gateway.tenant();
  const url = `${receiver().url}/hook?token=secret-of-the-receiver`;
  const webhook = await tenant.native('POST', '/webhooks', { url, events: ['user.created'] });
  expect(webhook.status).toBe(201);
  for (const email of ['ada@example.com', 'ben@example.com'])
    expect((await tenant.native('POST', '/users', { email })).status).toBe(201);
  const operator = await gateway.operator();
  await eventually(async () => {
    const { body } = await operator<{ plugins: object[] }>('GET', '/plugins');
    expect(body.plugins).toContainEqual(
      expect.objectContaining({
        name: 'webhooks',
        last_failure: { at: expect.any(String) as string, reason: REASON },
      }),
    );
  });
  const failing = lines.filter(({ msg }) => msg === 'Deliveries fail.');
  expect(failing).toMatchObject([{ plugin: 'webhooks', reason: REASON }]);
  expect(JSON.stringify(lines)).not.toContain('secret-of-the-receiver');
});

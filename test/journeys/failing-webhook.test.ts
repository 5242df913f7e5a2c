import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import mongoose from 'mongoose';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhooks } from '../../plugins/webhooks/index.js';
import { timeInWords } from '../../src/domain/kernel/in-words.js';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'rollgate-failing-'));
const configuration = join(folder, 'rollgate.yaml');
writeFileSync(configuration, 'plugins:\n  webhooks:\n    disableAfter: 48h\n');
afterAll(() => rmSync(folder, { recursive: true }));

/** How far the clock of the webhooks plugin is ahead. */
let aheadMs = 0;
const lines: Record<string, unknown>[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
      done();
    },
  }),
);

/** The plugin with a clock ahead of the host's. */
const webhooksAhead: typeof webhooks = {
  ...webhooks,
  start: (host) => webhooks.start({ ...host, now: () => new Date(Date.now() + aheadMs) }),
};

const { open, receiver, env } = useReceiver();
let databaseUri = '';
const gateway = TestGateway.use(
  (uri) => {
    databaseUri = uri;
    return { ...env(), ROLLGATE_WEBHOOKS_RETRY: '', ROLLGATE_CONFIG: configuration };
  },
  { builtIns: [webhooksAhead], log },
);
let tenant: TestTenant;
let hook: string;

beforeAll(async () => {
  await open();
  tenant = await gateway.tenant();
  const { body } = await tenant.native<{ id: string }>('POST', '/webhooks', {
    url: receiver().url,
    events: ['user.created'],
  });
  hook = body.id;
});

const read = async () => (await tenant.native('GET', `/webhooks/${hook}`)).body;

const logged = (message: RegExp) =>
  lines.filter(({ msg, webhook }) => webhook === hook && message.test(String(msg)));

/** What needs attention because of webhooks, and their counts. */
const overview = async () => {
  const operator = await gateway.operator();
  const { body } = await operator<{
    readonly attention: readonly { readonly code: string }[];
    readonly webhooks: object;
  }>('GET', `/tenants/${tenant.slug}/overview`);
  return {
    attention: body.attention.filter(({ code }) => code.startsWith('WEBHOOK_')),
    webhooks: body.webhooks,
  };
};

/** Creates a user; resolves when the receiver got the event and the outcome is recorded. */
const createUser = async (outcome: 'success' | 'failed'): Promise<void> => {
  const email = `${randomUUID()}@example.com`;
  const startedAt = new Date();
  await tenant.native('POST', '/users', { email, display_name: 'Ada' });
  await eventually(() => expect(emailsSince(startedAt)).toContain(email));
  await eventually(async () => expect((await read()).last_trigger_status).toBe(outcome));
};

const emailsSince = (since: Date): readonly string[] =>
  receiver()
    .requests.filter(({ at }) => at >= since)
    .map(({ json }) => json as { readonly data: { readonly user: { readonly email: string } } })
    .map(({ data }) => data.user.email);

/** The epochs of failing registrations, from the database, because no response shows them. */
const failingEpochs = async (): Promise<readonly unknown[]> => {
  const client = new mongoose.mongo.MongoClient(databaseUri);
  try {
    const found: unknown[] = await client
      .db()
      .collection('plugin_notes')
      .distinct('note.failing.epoch');
    return found;
  } finally {
    await client.close();
  }
};

const metric = async (line: string): Promise<void> => {
  const { url } = await gateway.open();
  await eventually(async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text.split('\n')).toContain(line);
  });
};

it('a registration that keeps failing is reported, then disabled as configured, and recovers when enabled again', async () => {
  receiver().setBehaviour({ kind: 'answer', status: 503 });
  await createUser('failed');
  await metric('rollgate_webhooks_failing 0');
  expect(await overview()).toMatchObject({
    attention: [
      {
        severity: 'warning',
        code: 'WEBHOOK_FAILING',
        action: expect.stringContaining('The receiver responded with 503.') as string,
      },
    ],
    webhooks: { failing: 1 },
  });

  aheadMs = HOUR_MS;
  await createUser('failed');
  await metric('rollgate_webhooks_failing 1');
  await metric('rollgate_webhooks_failing_events_total{event="began"} 1');
  const [reported] = logged(/all deliveries to a webhook fail/);
  expect(reported).toMatchObject({
    plugin: 'webhooks',
    reason: 'The receiver responded with 503.',
  });
  expect(await read()).toMatchObject({ status: 'active' });
  const since = String(reported!.since);
  const { url } = receiver();
  const link = `settings/webhooks/${hook}`;
  expect(await overview()).toEqual({
    attention: [
      {
        severity: 'error',
        code: 'WEBHOOK_FAILING',
        message: `No delivery to the webhook "${url}" has succeeded since ${timeInWords(new Date(since))}.`,
        action: expect.stringContaining('"rollgate webhook recover"') as string,
        link,
      },
    ],
    webhooks: { total: 1, failing: 1 },
  });

  aheadMs = 48 * HOUR_MS;
  await createUser('failed');
  await eventually(async () => expect((await read()).status).toBe('disabled'));
  expect((await read()).disabled_reason).toBe(
    `All deliveries have failed since ${timeInWords(new Date(since))}.`,
  );
  expect(logged(/disabled a failing webhook/)).toMatchObject([{ since }]);
  await metric('rollgate_webhooks_failing 0');
  await metric('rollgate_webhooks_failing_events_total{event="disabled"} 1');
  expect(await overview()).toMatchObject({
    attention: [{ severity: 'warning', code: 'WEBHOOK_DISABLED', link }],
    webhooks: { total: 1, failing: 0 },
  });
  const operator = await gateway.operator();
  const { body } = await operator<{ commands: object[] }>(
    'GET',
    `/tenants/${tenant.slug}/commands?limit=10`,
  );
  expect(body.commands).toContainEqual(
    expect.objectContaining({ source: 'system', type: 'plugin.change', outcome: 'applied' }),
  );

  const disabledAt = new Date();
  await tenant.native('POST', '/users', { email: 'lost@example.com', display_name: 'Lost' });
  await tenant.native('PATCH', `/webhooks/${hook}`, { status: 'active' });
  expect(await read()).toMatchObject({ status: 'active' });
  expect(await read()).not.toHaveProperty('disabled_reason');
  // Earlier failures no longer count.
  await createUser('failed');
  await eventually(async () => expect(await failingEpochs()).toEqual([3]));
  receiver().setBehaviour({ kind: 'answer', status: 204 });
  await createUser('success');
  expect(await read()).toMatchObject({ status: 'active' });
  expect(await overview()).toEqual({ attention: [], webhooks: { total: 1, failing: 0 } });
  expect(emailsSince(disabledAt)).not.toContain('lost@example.com');
}, 60_000);

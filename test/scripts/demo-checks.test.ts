import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import got from 'got';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkResult } from '../../tools/demo/demo-result.js';
import { createOutput } from '../../tools/demo/output.js';
import { createInbox, type Delivery, type WebhookInbox } from '../../tools/demo/webhook-inbox.js';
import { createPaint } from '../../src/cli/terminal-text.js';
import { createAuthority } from '../../tools/shared/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tools/shared/https-receiver.js';

const delivery = (seq: number, more: Partial<Delivery> = {}): Delivery => ({
  event: 'user.created',
  subject: 'Ada Lovelace',
  seq,
  deliveryId: randomUUID(),
  ms: seq,
  isVerified: true,
  ...more,
});

const check = (deliveries: readonly Delivery[], more: object = {}) =>
  checkResult({
    requests: 3,
    expected: deliveries.map(({ event }) => event),
    deliveries,
    lastSeq: deliveries.length,
    ...more,
  });

describe('the result of the demo', () => {
  const good = [delivery(1), delivery(2, { event: 'user.updated' }), delivery(3)];
  const names = good.map(({ event }) => event);

  it('has no problems if every webhook arrived in order and verified', () => {
    expect(check(good)).toMatchObject({ problems: [], verified: 3, p50Ms: 2, maxMs: 3 });
  });

  it('counts the test webhook, which has no seq', () => {
    const test = delivery(0, { event: 'webhook.test', seq: null });
    const result = check([test, ...good], { lastSeq: 3 });
    expect(result).toMatchObject({ problems: [], received: 4 });
    expect(result.events).toHaveLength(3);
  });

  it.each([
    ['a missing webhook', good.slice(0, 2), { expected: names }],
    ['a duplicate webhook', [...good, delivery(3)], { expected: names }],
    ['another event', good, { expected: ['user.created', 'user.deleted', 'user.created'] }],
    ['a wrong signature', [delivery(1, { isVerified: false })], {}],
    ['a gap in the event sequence', [delivery(1), delivery(3)], {}],
    ['a logged event without a webhook', good, { lastSeq: 4 }],
  ])('reports %s', (_what, deliveries, more) => {
    expect(check(deliveries, more).problems).not.toStrictEqual([]);
  });
});

describe('the webhook inbox of the demo', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const authority = await createAuthority();
  let receiver: HttpsReceiver;
  let inbox: WebhookInbox;
  let printed: string;
  beforeEach(async () => {
    printed = '';
    receiver = await openHttpsReceiver(await authority.issue(['127.0.0.1']));
    const output = createOutput((text) => (printed += text), createPaint(false));
    inbox = createInbox(receiver, secret, output);
  });
  afterEach(() => receiver.close());

  /** Sends a webhook as a gateway does, signed with these secrets. */
  const send = async (secrets: { readonly own: string; readonly standard: string }) => {
    const user = { display_name: 'Ada Lovelace' };
    const now = new Date();
    const id = randomUUID();
    const timestamp = now.toISOString();
    const body = JSON.stringify({ id, event: 'user.created', seq: 1, timestamp, data: { user } });
    const signature = createHmac('sha256', secrets.own).update(body).digest('hex');
    await got.post(`https://127.0.0.1:${receiver.port}/`, {
      body,
      https: { certificateAuthority: authority.certificate },
      headers: {
        'x-service-signature': `sha256=${signature}`,
        'x-service-delivery': randomUUID(),
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secrets.standard).sign(id, now, body),
      },
    });
    await inbox.expect('user.created');
  };
  const other = `whsec_${randomBytes(32).toString('base64')}`;

  it('verifies a delivery that has both signatures', async () => {
    await send({ own: secret, standard: secret });
    expect(inbox.deliveries).toMatchObject([{ isVerified: true, seq: 1, subject: 'Ada Lovelace' }]);
    expect(printed).toContain('✔ signed');
  });

  it.each([
    ['X-Service-Signature', { own: other, standard: secret }],
    ['webhook-signature', { own: secret, standard: other }],
  ])('rejects a delivery whose %s is of another secret', async (_header, secrets) => {
    await send(secrets);
    expect(inbox.deliveries).toMatchObject([{ isVerified: false }]);
    expect(printed).toContain('✘ NOT VERIFIED');
  });
});

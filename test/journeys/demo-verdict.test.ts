import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import got from 'got';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Delivered, type Mailbox, openMailbox } from '../../scripts/demo/mailbox.js';
import { openStage } from '../../scripts/demo/stage.js';
import { judge } from '../../scripts/demo/verdict.js';
import { createAuthority } from '../../tooling/authority.js';
import { type HttpsReceiver, openHttpsReceiver } from '../../tooling/https-receiver.js';
import { createPaint } from '../../src/cli/paint.js';

const delivery = (seq: number, more: Partial<Delivered> = {}): Delivered => ({
  event: 'user.created',
  about: 'Ada Lovelace',
  seq,
  deliveryId: randomUUID(),
  ms: seq,
  isVerified: true,
  ...more,
});

const judged = (delivered: readonly Delivered[], more: object = {}) =>
  judge({
    requests: 3,
    expected: delivered.map(({ event }) => event),
    delivered,
    lastSeq: delivered.length,
    ...more,
  });

describe('the verdict', () => {
  const well = [delivery(1), delivery(2, { event: 'user.updated' }), delivery(3)];

  it('finds no problems if all webhooks arrived in order and verified', () => {
    expect(judged(well)).toMatchObject({ problems: [], verified: 3, p50Ms: 2, slowestMs: 3 });
  });

  it('counts a test call as a webhook, although it is not in the log', () => {
    const test = delivery(0, { event: 'webhook.test', seq: null });
    const verdict = judged([test, ...well], { lastSeq: 3 });
    expect(verdict).toMatchObject({ problems: [], received: 4 });
    expect(verdict.events).toHaveLength(3);
  });

  it.each([
    ['a webhook is missing', well.slice(0, 2), { expected: well.map(({ event }) => event) }],
    [
      'a webhook arrives twice',
      [...well, delivery(3)],
      { expected: well.map(({ event }) => event) },
    ],
    [
      'an event differs from the expected one',
      well,
      { expected: ['user.created', 'user.deleted', 'user.created'] },
    ],
    ['a signature is wrong', [delivery(1, { isVerified: false })], {}],
    ['the log has a gap', [delivery(1), delivery(3)], {}],
    ['the gateway logged more than it sent', well, { lastSeq: 4 }],
  ])('reports that %s', (_what, delivered, more) => {
    expect(judged(delivered, more).problems).not.toStrictEqual([]);
  });
});

describe('the mailbox', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const authority = await createAuthority();
  let receiver: HttpsReceiver;
  let mailbox: Mailbox;
  let output: string;
  beforeEach(async () => {
    output = '';
    receiver = await openHttpsReceiver(await authority.issue(['127.0.0.1']));
    const stage = openStage((text) => (output += text), createPaint(false));
    mailbox = openMailbox(receiver, secret, stage);
  });
  afterEach(() => receiver.close());

  /** Sends a webhook as a gateway does, signed with these secrets. */
  const send = async (signedWith: { readonly own: string; readonly standard: string }) => {
    const user = { display_name: 'Ada Lovelace' };
    const timestamp = new Date().toISOString();
    const id = randomUUID();
    const body = JSON.stringify({ id, event: 'user.created', seq: 1, timestamp, data: { user } });
    const now = new Date();
    await got.post(`https://127.0.0.1:${receiver.port}/`, {
      body,
      https: { certificateAuthority: authority.certificate },
      headers: {
        'x-service-signature': `sha256=${createHmac('sha256', signedWith.own).update(body).digest('hex')}`,
        'x-service-delivery': randomUUID(),
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(signedWith.standard).sign(id, now, body),
      },
    });
    await mailbox.expect('user.created');
  };
  const another = `whsec_${randomBytes(32).toString('base64')}`;

  it('verifies a delivery with both signatures', async () => {
    await send({ own: secret, standard: secret });
    expect(mailbox.delivered).toMatchObject([{ isVerified: true, seq: 1, about: 'Ada Lovelace' }]);
    expect(output).toContain('✔ signed');
  });

  it.each([
    ['X-Service-Signature', { own: another, standard: secret }],
    ['webhook-signature', { own: secret, standard: another }],
  ])('reports a delivery whose %s was made with another secret', async (_header, keys) => {
    await send(keys);
    expect(mailbox.delivered).toMatchObject([{ isVerified: false }]);
    expect(output).toContain('✘ NOT VERIFIED');
  });
});

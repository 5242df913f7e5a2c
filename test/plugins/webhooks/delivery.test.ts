import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryOutcome } from '../../../src/plugin/contract/contract.js';
import {
  type ClosableSender,
  createHttpSender,
} from '../../../src/plugin/outbound/https-sender.js';
import { eventBody } from '../../../plugins/webhooks/post-delivery.js';
import { createAuthority } from '../../../tools/shared/authority.js';
import {
  type HttpsReceiver,
  openHttpsReceiver,
  type ReceivedRequest,
} from '../../../tools/shared/https-receiver.js';
import { idOf } from '../../support/builders.js';
import { anEvent, WebhookBench } from './webhook-bench.js';

const authority = await createAuthority();
const folder = mkdtempSync(join(tmpdir(), 'rollgate-webhooks-'));
const ca = join(folder, 'ca.pem');

let receiver: HttpsReceiver;
let sender: ClosableSender;
let bench: WebhookBench;

beforeAll(() => writeFileSync(ca, authority.certificate));
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(async () => {
  receiver = await openHttpsReceiver(await authority.issue(['localhost']));
  sender = createHttpSender({ userAgent: 'Rollgate/test', allow: ['127.0.0.0/8'], ca });
  bench = await new WebhookBench(sender).start();
});
afterEach(async () => {
  await bench.stop();
  await sender.close();
  await receiver.close();
});

const register = (more: object = {}) => bench.register({ url: `${receiver.url}/in?a=b`, ...more });

const only = async (): Promise<ReceivedRequest> => {
  const [request] = await receiver.received(1);
  expect(receiver.requests).toHaveLength(1);
  return request!;
};

/** What GET shows; the note is written right after the attempt. */
const lastOutcome = async (id: string): Promise<unknown> => {
  await bench.stop();
  return (await bench.call('getWebhook', { id })).body?.last_trigger_status;
};

describe('a delivery', () => {
  it('is a POST of the envelope with the headers of the document', async () => {
    await register();
    expect(await bench.deliver(anEvent())).toMatchObject([{ kind: 'delivered' }]);
    const { method, path, headers, body } = await only();
    expect(`${method} ${path}`).toBe('POST /in?a=b');
    expect(body.equals(eventBody(anEvent()))).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Rollgate/test',
      'x-service-event': 'user.created',
      'x-service-delivery': idOf(0xde11),
      'webhook-id': anEvent().id,
    });
  });

  it('carries the same id and the same bytes in every attempt', async () => {
    await register();
    receiver.queueBehaviours({ kind: 'answer', status: 500 });
    await bench.deliver(anEvent());
    await bench.deliver(structuredClone(anEvent()));
    const [first, second] = await receiver.received(2);
    expect(second?.body.equals(first!.body)).toBe(true);
    for (const header of ['x-service-delivery', 'x-service-signature', 'webhook-id'])
      expect(second?.headers[header]).toBe(first?.headers[header]);
  });

  it('goes to the URL that the registration has by then', async () => {
    const { id } = await register();
    await bench.call('updateWebhook', { id, body: { url: `${receiver.url}/new` } });
    await bench.deliver(anEvent());
    expect((await only()).path).toBe('/new');
  });

  it('costs no read of the database besides that of the subscriptions', async () => {
    await register();
    const before = bench.reads;
    for (let seq = 1; seq < 5; seq += 1) await bench.deliver(anEvent('user.created', { seq }));
    expect(bench.reads).toBe(before + 4);
    expect(receiver.requests).toHaveLength(4);
  });

  it('is not sent under a key of the past', async () => {
    const { id } = await register();
    await bench.call('updateWebhook', { id, body: { status: 'disabled' } });
    await bench.call('updateWebhook', { id, body: { status: 'active' } });
    const signal = new AbortController().signal;
    const outcome = await bench.subscriber.deliver(
      { id: idOf(1), key: `${id}:1`, event: anEvent(), attempt: 2 },
      signal,
    );
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(receiver.requests).toHaveLength(0);
    expect(await lastOutcome(id)).toBeNull();
  });

  it('is served for the keys of active registrations alone, as the database has them', async () => {
    const [one, two] = [await register(), await register()];
    await bench.call('updateWebhook', { id: two.id, body: { status: 'disabled' } });
    const { tenant, subscriber } = bench;
    expect(await subscriber.subscriptions(tenant.id)).toMatchObject([{ key: `${one.id}:1` }]);
    await bench.call('deleteWebhook', { id: one.id });
    expect(await subscriber.subscriptions(tenant.id)).toEqual([]);
  });
});

describe('the outcome of a delivery', () => {
  const attempt = async (): Promise<{ outcome: DeliveryOutcome | undefined; last: unknown }> => {
    const { id } = await register();
    const [outcome] = await bench.deliver(anEvent());
    return { outcome, last: await lastOutcome(id) };
  };

  it.each([301, 302, 308, 400, 404, 500])('is failure at %i, to try again', async (status) => {
    receiver.setBehaviour({
      kind: 'answer',
      status,
      headers: { location: `${receiver.url}/other` },
    });
    expect(await attempt()).toMatchObject({
      outcome: { kind: 'failed', retry: true },
      last: 'failed',
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it('is not recorded if the gateway aborted the attempt', async () => {
    const { id } = await register();
    receiver.setBehaviour({ kind: 'hang' });
    const controller = new AbortController();
    const outcomes = bench.deliver(anEvent(), controller.signal);
    await receiver.received(1);
    controller.abort();
    expect(await outcomes).toMatchObject([{ kind: 'failed', retry: true }]);
    expect(await lastOutcome(id)).toBeNull();
  });
});

describe('a test call', () => {
  it('sends one signed test event and returns the response', async () => {
    const { id, secret } = await register({ description: 'Badges' });
    receiver.setBehaviour({ kind: 'answer', status: 201, body: 'thanks' });
    const answer = await bench.call('testWebhook', { id });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      delivered: true,
      status: 201,
      body: 'thanks',
      duration_ms: expect.any(Number) as number,
      error: null,
    });
    const { headers, json, hasValidSignature } = await only();
    expect(headers['x-service-event']).toBe('webhook.test');
    expect(json).toMatchObject({
      event: 'webhook.test',
      tenant_slug: 'acme',
      seq: null,
      data: { webhook: { id, description: 'Badges' } },
    });
    expect(hasValidSignature(secret as string)).toBe(true);
    expect(await lastOutcome(id)).toBe('success');
  });

  it('has an id of its own each time', async () => {
    const { id } = await register();
    await bench.call('testWebhook', { id });
    await bench.call('testWebhook', { id });
    const ids = receiver.requests.flatMap(({ headers, json }) => [
      headers['x-service-delivery'],
      (json as { id: string }).id,
    ]);
    expect(new Set(ids).size).toBe(4);
  });

  it('is sent while the registration is disabled, too', async () => {
    const { id } = await register();
    await bench.call('updateWebhook', { id, body: { status: 'disabled' } });
    expect((await bench.call('testWebhook', { id })).body).toMatchObject({ delivered: true });
  });

  it('returns the response of a failure', async () => {
    const { id } = await register();
    receiver.setBehaviour({
      kind: 'answer',
      status: 302,
      body: 'over there',
      headers: { location: '/' },
    });
    expect((await bench.call('testWebhook', { id })).body).toMatchObject({
      delivered: false,
      status: 302,
      body: 'over there',
      error: null,
    });
    expect(receiver.requests).toHaveLength(1);
    expect(await lastOutcome(id)).toBe('failed');
  });

  it('says in words why no response came', async () => {
    const other = await openHttpsReceiver(await authority.issue(['hook.example.test']));
    const { id } = await register({ url: other.url });
    expect((await bench.call('testWebhook', { id })).body).toMatchObject({
      delivered: false,
      status: null,
      body: null,
      error: 'The certificate is for another name (hook.example.test).',
    });
    expect(await lastOutcome(id)).toBe('failed');
    await other.close();
  });

  it('cuts the body at 64 KiB', async () => {
    const { id } = await register();
    receiver.setBehaviour({ kind: 'endless', status: 200 });
    const { body } = await bench.call('testWebhook', { id });
    expect(body).toMatchObject({ delivered: true, status: 200, body: 'x'.repeat(65_536) });
  });
});

import { expect, it } from 'vitest';
import type { OutboundRequest } from '../../../src/plugin/contract/http-sender.js';
import { createPostDelivery, type Target } from '../../../plugins/webhooks/post-delivery.js';
import { signingKeysOf } from '../../../src/plugin/api.js';
import { TENANT_ID } from '../../support/builders.js';

const MAIN = 'x-service-signature';
const NEXT = 'x-service-signature-next';
const PREVIOUS = 'x-service-signature-previous';

/** The headers that are sent at this time. */
const sentAt = async (now: string, registration: Partial<Target>): Promise<Map<string, string>> => {
  const sent: OutboundRequest[] = [];
  const post = createPostDelivery({
    http: {
      post: (request) => {
        sent.push(request);
        return Promise.resolve({
          kind: 'responded',
          status: 200,
          headers: {},
          body: '',
          durationMs: 1,
        });
      },
    },
    keysOf: signingKeysOf,
    open: (sealed) => `opened ${sealed}`,
    timeoutMs: 1_000,
    now: () => new Date(now),
  });
  await post({
    tenantId: TENANT_ID,
    registration: {
      url: 'https://hook.test/',
      query: null,
      secret: 'the secret of now',
      previous: [],
      next: null,
      headers: [],
      ...registration,
    },
    id: 'id',
    eventId: 'the event',
    event: 'user.created',
    body: Buffer.from('{}'),
    bodyLimit: 0,
  });
  const headers = Object.entries(sent[0]?.headers ?? {});
  return new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
};

const previous = [{ secret: 'the secret of before', until: '2026-11-22T09:00:00.000Z' }];

it('a secret that was replaced signs until its day is over, and not a moment longer', async () => {
  const before = await sentAt('2026-11-22T08:59:59.999Z', { previous });
  expect(before.get(PREVIOUS)).toMatch(/^sha256=[0-9a-f]{64}$/);
  expect(before.get('webhook-signature')?.split(' ')).toHaveLength(2);
  const after = await sentAt('2026-11-22T09:00:00.000Z', { previous });
  expect(after.has(PREVIOUS)).toBe(false);
  expect(after.get('webhook-signature')?.split(' ')).toHaveLength(1);
});

it('a secret that is to take over signs beside the current one, and alone from its time on', async () => {
  const next = { secret: 'the secret to come', from: '2026-11-22T09:00:00.000Z' };
  const before = await sentAt('2026-11-22T08:59:59.999Z', { next });
  const after = await sentAt('2026-11-22T09:00:00.000Z', { next });
  expect(before.get(NEXT)).toBe(after.get(MAIN));
  expect(before.get(MAIN)).not.toBe(after.get(MAIN));
  expect(before.get('webhook-signature')?.split(' ')).toHaveLength(2);
  expect(after.has(NEXT)).toBe(false);
  expect(after.has(PREVIOUS)).toBe(false);
  expect(after.get('webhook-signature')?.split(' ')).toHaveLength(1);
});

it('the id of the standard is the event’s, that of the document the delivery’s', async () => {
  const sent = await sentAt('2026-11-22T09:00:00.000Z', {});
  expect(sent.get('webhook-id')).toBe('the event');
  expect(sent.get('x-service-delivery')).toBe('id');
});

it('headers of the registration are sent opened, and never in place of ours', async () => {
  const headers = [
    { name: 'X-Key', value: 'a' },
    { name: 'X-Service-Event', value: 'forged' },
  ];
  const sent = await sentAt('2026-11-22T09:00:00.000Z', { headers });
  expect(sent.get('x-key')).toBe('opened a');
  expect(sent.get('x-service-event')).toBe('user.created');
});

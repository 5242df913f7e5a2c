import { expect, it } from 'vitest';
import type { OutboundRequest } from '../../../src/plugin/http-sender.js';
import { createPostDelivery, type Target } from '../../../plugins/webhooks/post-delivery.js';
import { keysOf } from '../../../plugins/webhooks/signature.js';
import { TENANT_ID } from '../../support/builders.js';

const PREVIOUS = 'x-service-signature-previous';

/** The headers that are sent at this time. */
const sentAt = async (now: string, registration: Partial<Target>): Promise<Map<string, string>> => {
  const sent: OutboundRequest[] = [];
  const post = createPostDelivery({
    http: {
      post: (request) => {
        sent.push(request);
        return Promise.resolve({
          kind: 'answered',
          status: 200,
          headers: {},
          body: '',
          durationMs: 1,
        });
      },
    },
    keysOf,
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
      headers: [],
      ...registration,
    },
    id: 'id',
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

it('headers of the registration are sent opened, and never in place of ours', async () => {
  const headers = [
    { name: 'X-Key', value: 'a' },
    { name: 'X-Service-Event', value: 'forged' },
  ];
  const sent = await sentAt('2026-11-22T09:00:00.000Z', { headers });
  expect(sent.get('x-key')).toBe('opened a');
  expect(sent.get('x-service-event')).toBe('user.created');
});

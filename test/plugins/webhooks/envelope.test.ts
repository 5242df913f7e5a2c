import { expect, it } from 'vitest';
import { eventBody, testBody } from '../../../plugins/webhooks/post-delivery.js';
import { readRegistration } from '../../../plugins/webhooks/registration.js';
import type { RecordId } from '../../../src/domain/kernel/ids.js';
import { aTenant, idOf, NOW, TENANT_ID } from '../../support/builders.js';
import { anEvent } from './webhook-bench.js';

it('writes an event as exactly these bytes', () => {
  const expected =
    '{"id":"00000000-0000-4000-8000-0000000000e0","event":"user.created",' +
    '"tenant_id":"00000000-0000-4000-8000-00000000acde","tenant_slug":"acme",' +
    '"timestamp":"2026-11-21T09:00:00.007Z","seq":1,"data":{"user":' +
    '{"id":"00000000-0000-4000-8000-000000000001","email":"zoë@example.com",' +
    '"display_name":"Zoë","active":true}}}';
  expect(eventBody(anEvent())).toEqual(Buffer.from(expected, 'utf8'));
});

it('writes the same bytes for the same event however often', () => {
  expect(eventBody(anEvent()).equals(eventBody(structuredClone(anEvent())))).toBe(true);
});

it('writes a test event with a place in no log', () => {
  const registration = readRegistration({
    id: idOf<RecordId>(7),
    tenantId: TENANT_ID,
    plugin: 'webhooks',
    version: 1,
    createdAt: NOW,
    data: {
      url: 'https://hook.test/',
      events: ['*'],
      status: 'disabled',
      epoch: 2,
      description: 'Badges',
      secret: 'sealed',
    },
  });
  expect(JSON.parse(testBody('an-id', registration, aTenant(), NOW).toString())).toEqual({
    id: 'an-id',
    event: 'webhook.test',
    tenant_id: TENANT_ID,
    tenant_slug: 'acme',
    timestamp: '2026-11-21T09:00:00.000Z',
    seq: null,
    data: { webhook: { id: idOf(7), description: 'Badges' } },
  });
});

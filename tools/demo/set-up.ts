import { randomBytes } from 'node:crypto';
import type { HttpsReceiver } from '../shared/https-receiver.js';
import { createDemoClient, type DemoClient, DemoError, type RequestCount } from './demo-client.js';
import type { Output } from './output.js';
import { createInbox, type WebhookInbox } from './webhook-inbox.js';

export interface SetUpOptions {
  readonly output: Output;
  readonly count: RequestCount;
  readonly receiver: HttpsReceiver;
  readonly url: string;
  readonly adminToken: string;
}

/** A tenant with a key for each client, and a webhook. */
export interface DemoTenant {
  readonly slug: string;
  readonly output: Output;
  readonly inbox: WebhookInbox;
  readonly operator: DemoClient;
  readonly okta: DemoClient;
  readonly entra: DemoClient;
  /** An integrator's program that uses the native REST API. */
  readonly app: DemoClient;
  readonly appKey: string;
}

export const FIRST_CAPACITY = 4;

const SCOPES = {
  Okta: ['scim:read', 'scim:write'],
  Entra: ['scim:read', 'scim:write'],
  App: ['api:users:read', 'api:rooms:read', 'api:rooms:write', 'usage', 'webhooks'],
} as const;

export const setUp = async (options: SetUpOptions): Promise<DemoTenant> => {
  const { output, url, adminToken, count } = options;
  output.section('Setup', 'a tenant, an API key for each client, a webhook');
  const operator = createDemoClient(
    { name: 'operator', base: `${url}/admin/v1`, token: adminToken },
    output,
    count,
  );
  const slug = `harbour-${randomBytes(3).toString('hex')}`;
  await operator('POST', '/tenants', {
    body: { slug, name: 'Harbour Rescue', seat_capacity: FIRST_CAPACITY },
    expect: 201,
    describe: ({ seat_capacity }) => `tenant ${slug}, ${String(seat_capacity)} seats`,
  });
  const createKey = async (name: keyof typeof SCOPES): Promise<string> => {
    const { key } = await operator('POST', `/tenants/${slug}/api-keys`, {
      body: { description: name, scopes: SCOPES[name] },
      expect: 201,
      describe: () => `created a key for ${name}`,
    });
    return key ?? missing('key');
  };
  const base = `${url}/v1/${slug}`;
  const scimClient = async (name: 'Okta' | 'Entra'): Promise<DemoClient> => {
    const token = await createKey(name);
    return createDemoClient({ name, base: `${base}/scim/v2`, token, isScim: true }, output, count);
  };
  const okta = await scimClient('Okta');
  const entra = await scimClient('Entra');
  const appKey = await createKey('App');
  const app = createDemoClient({ name: 'App', base, token: appKey }, output, count);
  const inbox = await registerWebhook(app, options);
  return { slug, output, inbox, operator, okta, entra, app, appKey };
};

const registerWebhook = async (
  app: DemoClient,
  { receiver, output }: SetUpOptions,
): Promise<WebhookInbox> => {
  const url = `https://127.0.0.1:${receiver.port}/webhooks`;
  const { id = missing('id'), secret = missing('secret') } = await app('POST', '/webhooks', {
    body: { url, events: ['*'], description: 'Demo receiver' },
    expect: 201,
    describe: () => 'created a webhook for all events',
  });
  const inbox = createInbox(receiver, secret, output);
  const test = await app('POST', `/webhooks/${id}/test`, {
    expect: 200,
    describe: ({ delivered }) => (delivered === true ? 'test delivered' : 'test not delivered'),
  });
  if (test.delivered !== true)
    throw new DemoError(`The gateway cannot reach the demo's receiver: ${String(test.error)}`);
  await inbox.expect('webhook.test');
  return inbox;
};

const missing = (field: string): never => {
  throw new DemoError(`The response has no "${field}".`);
};

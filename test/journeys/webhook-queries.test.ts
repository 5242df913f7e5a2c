import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';

interface StoredRecord {
  readonly _id: string;
  readonly v: number;
  readonly data: { readonly url: string; readonly query?: string | null };
}

const { open, receiver, env } = useReceiver();
let client: mongoose.mongo.MongoClient;
const gateway = TestGateway.use((uri) => {
  client = new mongoose.mongo.MongoClient(uri);
  return { ...env(), ROLLGATE_WEBHOOKS_RETRY: '' };
});
let tenant: TestTenant;
let token: string;

beforeAll(open);
afterAll(() => client.close());
beforeEach(async () => {
  tenant = await gateway.tenant();
  token = randomUUID();
});

const stored = (id: string) =>
  client.db().collection<StoredRecord>('plugin_records').findOne({ _id: id });

const register = async (url: string) => {
  const body = { url, events: ['user.created'] };
  const created = await tenant.native<{ id: string; url: string }>('POST', '/webhooks', body);
  expect(created.status).toBe(201);
  return created;
};

const shownUrl = async (id: string) =>
  (await tenant.native<{ url: string }>('GET', `/webhooks/${id}`)).body.url;

/** Creates a user and returns path and query of the last request to the receiver. */
const receivedPath = async (): Promise<string> => {
  const body = { email: `${randomUUID()}@example.com`, display_name: 'Ada' };
  expect((await tenant.native('POST', '/users', body)).status).toBe(201);
  const ours = () => receiver().requests.filter(({ path }) => path.includes(token));
  await eventually(() => expect(ours()).not.toEqual([]));
  return ours().at(-1)!.path;
};

it('the query of a webhook URL is encrypted at rest, shown to the tenant and sent to the receiver', async () => {
  const url = `${receiver().url}/hook?token=${token}&a=1`;
  const { body } = await register(url);
  expect(body.url).toBe(url);
  const { data } = (await stored(body.id))!;
  expect(data.url).toBe(`${receiver().url}/hook`);
  expect(data.query).toMatch(/^v1\./);
  expect(JSON.stringify(data)).not.toContain(token);
  expect(await shownUrl(body.id)).toBe(url);
  const listed = await tenant.native<{ webhooks: { url: string }[] }>('GET', '/webhooks');
  expect(listed.body.webhooks.map((webhook) => webhook.url)).toEqual([url]);
  expect(await receivedPath()).toBe(`/hook?token=${token}&a=1`);
});

it('a recorded attempt shows the URL with a masked query', async () => {
  const { body } = await register(`${receiver().url}/hook?token=${token}`);
  await receivedPath();
  const deliveries = `/webhooks/${body.id}/deliveries`;
  await eventually(async () => {
    const list = await tenant.native<{ deliveries: { id: string }[] }>('GET', deliveries);
    const [{ id }] = list.body.deliveries as [{ id: string }];
    const one = await tenant.native<{ attempts: unknown[] }>('GET', `${deliveries}/${id}`);
    expect(one.body.attempts).toMatchObject([{ request: { url: `${receiver().url}/hook?***` } }]);
  });
});

it('a PATCH of the URL replaces the query; the same URL is not a change', async () => {
  const { body, headers } = await register(`${receiver().url}/hook?token=${token}`);
  const patch = (url: string) => tenant.native('PATCH', `/webhooks/${body.id}`, { url });
  const same = await patch(body.url);
  expect([same.status, same.headers.get('etag')]).toEqual([200, headers.get('etag')]);
  const other = `${receiver().url}/hook?token=${token}&b=2`;
  expect((await patch(other)).body).toMatchObject({ url: other });
  expect(await shownUrl(body.id)).toBe(other);
  const plain = `${receiver().url}/${token}`;
  expect((await patch(plain)).body).toMatchObject({ url: plain });
  expect((await stored(body.id))!.data).toMatchObject({ url: plain, query: null });
  expect(await receivedPath()).toBe(`/${token}`);
});

it('a registration with an unencrypted query works, and is encrypted on the next use', async () => {
  const url = `${receiver().url}/hook?token=${token}`;
  const { body, headers } = await register(url);
  await client
    .db()
    .collection<StoredRecord>('plugin_records')
    .updateOne({ _id: body.id }, { $set: { 'data.url': url }, $unset: { 'data.query': 1 } });
  // As the change of another gateway would, it makes this one read the registrations again.
  await client
    .db()
    .collection('tenant_state')
    .updateMany({}, { $inc: { v: 1, 'pluginVersions.webhooks': 1 } });
  expect(await shownUrl(body.id)).toBe(url);
  expect(await receivedPath()).toBe(`/hook?token=${token}`);
  await eventually(async () => {
    const { data } = (await stored(body.id))!;
    expect(data).toMatchObject({ url: `${receiver().url}/hook` });
    expect(data.query).toMatch(/^v1\./);
  });
  const after = await tenant.native<{ url: string }>('GET', `/webhooks/${body.id}`);
  expect(after.body.url).toBe(url);
  // Only the digit of the last outcome differs: the version of the settings is the same.
  const settings = (tag: string | null) => /(\d+)\d"/.exec(tag ?? '')?.[1];
  expect(settings(after.headers.get('etag'))).toBe(settings(headers.get('etag')));
});

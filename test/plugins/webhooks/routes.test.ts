import { beforeEach, describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../src/domain/events.js';
import { type Answer, WebhookBench } from './webhook-bench.js';

const URL_ = 'https://hook.test/in';
const SECRET = 'a-secret-of-my-own';

let bench: WebhookBench;
beforeEach(async () => {
  bench = await new WebhookBench().start();
});

const create = (body: object): Promise<Answer> => bench.call('createWebhook', { body });

describe('POST /webhooks', () => {
  it('returns the registration and, only now, its secret', async () => {
    const answer = await create({ url: URL_, events: ['user.created'], description: 'Badges' });
    expect(answer).toEqual({
      status: 201,
      version: 10,
      location: `/webhooks/${bench.records[0]!.id}`,
      body: {
        id: bench.records[0]?.id,
        url: URL_,
        events: ['user.created'],
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
        status: 'active',
        description: 'Badges',
        created_at: '2026-11-21T09:00:00.000Z',
      },
    });
  });

  it('generates a different secret each time', async () => {
    const secrets = [await bench.register(), await bench.register()].map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(2);
  });

  it('accepts any secret of 16 characters', async () => {
    for (const secret of ['0123456789abcdef', 'ključi-ütŕ-😀😀😀😀😀'])
      expect((await create({ url: URL_, events: ['*'], secret })).body).toMatchObject({ secret });
  });

  it.each([
    ['15 characters', 'x'.repeat(15)],
    ['8 characters of two code units', '😀'.repeat(8)],
    ['513 characters', 'x'.repeat(513)],
    ['a line break', `${'x'.repeat(16)}\n`],
    ['nothing', ''],
  ])('refuses a secret of %s', async (_what, secret) => {
    expect(await create({ url: URL_, events: ['*'], secret })).toMatchObject({ status: 400 });
  });

  it('keeps no plain secret in records, commands or the log', async () => {
    await create({ url: URL_, events: ['*'], secret: SECRET });
    const { secret: generated } = await bench.register();
    const kept = JSON.stringify([bench.records, bench.commands, bench.logged, [...bench.notes]]);
    expect(kept).not.toContain(SECRET);
    expect(kept).not.toContain(generated);
    expect(bench.records).toHaveLength(2);
  });

  it('accepts each event by its name, and all by *', async () => {
    const all = [...EVENT_NAMES, '*'];
    expect((await create({ url: URL_, events: all })).body).toMatchObject({ events: all });
  });

  it('counts a duplicate event once', async () => {
    const events = ['user.created', 'user.deleted', 'user.created'];
    expect((await create({ url: URL_, events })).body).toMatchObject({
      events: ['user.created', 'user.deleted'],
    });
  });

  it.each([
    ['no URL', { events: ['*'] }],
    ['no events', { url: URL_ }],
    ['empty events', { url: URL_, events: [] }],
    ['an unknown event', { url: URL_, events: ['user.made'] }],
    ['the test event', { url: URL_, events: ['webhook.test'] }],
    ['a field that does not exist', { url: URL_, events: ['*'], colour: 'red' }],
    ['a status', { url: URL_, events: ['*'], status: 'disabled' }],
    ['a URL of more than 2,048 characters', { url: `${URL_}/${'x'.repeat(2_048)}`, events: ['*'] }],
    ['an event that is no text', { url: URL_, events: [1] }],
    ['a description that is no text', { url: URL_, events: ['*'], description: {} }],
    ['no object', []],
  ])('refuses %s', async (_what, body) => {
    expect(await create(body)).toMatchObject({ status: 400 });
    expect(bench.records).toEqual([]);
  });

  it.each([
    'http://hook.test/',
    'ftp://hook.test/',
    'hook.test',
    'https://user:pass@hook.test/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]:8443/',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/',
  ])('refuses %s with a reason and the path of the field', async (url) => {
    const { refusal } = await create({ url, events: ['*'] });
    expect(refusal).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: 'url', message: expect.stringMatching(/\w/) as string }],
    });
    expect(bench.records).toEqual([]);
  });

  it('accepts a private address if the operator allows it', async () => {
    bench = await new WebhookBench(undefined, { allow: ['127.0.0.0/8'] }).start();
    expect(await create({ url: 'https://127.0.0.1:9443/', events: ['*'] })).toMatchObject({
      status: 201,
    });
  });
});

describe('GET /webhooks', () => {
  it('lists all registrations, oldest first, without their secrets', async () => {
    const made = [await bench.register(), await bench.register({ description: 'B' })];
    const { body } = await bench.call('listWebhooks');
    expect(body).toEqual({
      webhooks: made.map(({ secret: _, ...webhook }) => ({
        ...webhook,
        last_trigger_status: null,
      })),
      total: 2,
      limit: 100,
      offset: 0,
    });
  });

  it('returns the requested page', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await bench.register()).id);
    const { body } = await bench.call('listWebhooks', { query: { limit: '2', offset: '3' } });
    expect(body).toMatchObject({ total: 5, limit: 2, offset: 3 });
    expect((body?.webhooks as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(3));
  });

  it('shows none of another tenant', async () => {
    const other = await bench.register();
    bench.tenant = { ...bench.tenant, id: '11111111-0000-4000-8000-000000000000' as never };
    expect((await bench.call('listWebhooks')).body).toMatchObject({ webhooks: [], total: 0 });
    expect((await bench.call('getWebhook', { id: other.id })).refusal?.code).toBe(
      'WEBHOOK_NOT_FOUND',
    );
  });
});

describe('GET /webhooks/{id}', () => {
  it('shows the last outcome, and changes its entity tag with it', async () => {
    const { id } = await bench.register();
    const tags = [];
    for (const status of [null, 'success', 'failed']) {
      if (status) bench.notes.set(id, { last_trigger_status: status });
      const answer = await bench.call('getWebhook', { id });
      expect(answer.body).toMatchObject({ last_trigger_status: status });
      tags.push(answer.version);
    }
    expect(new Set(tags).size).toBe(3);
  });

  it.each(['getWebhook', 'updateWebhook', 'deleteWebhook', 'testWebhook'])(
    'is, like %s, refused for an id that does not exist',
    async (operation) => {
      for (const id of ['8a1b8f1e-0000-4000-8000-000000000000', 'nonsense', ''])
        expect(await bench.call(operation, { id, body: { status: 'active' } })).toMatchObject({
          refusal: { code: 'WEBHOOK_NOT_FOUND' },
        });
    },
  );
});

describe('PATCH /webhooks/{id}', () => {
  it('changes only the given fields', async () => {
    const { id, secret: _, ...before } = await bench.register({ description: 'Old' });
    const patch = async (body: object) => (await bench.call('updateWebhook', { id, body })).body;
    expect(await patch({ url: 'https://new.test/' })).toEqual({
      ...before,
      id,
      url: 'https://new.test/',
      last_trigger_status: null,
    });
    expect(await patch({ events: ['user.created'] })).toMatchObject({ events: ['user.created'] });
    expect(await patch({ description: null })).toMatchObject({ description: null });
    expect(await patch({ status: 'disabled' })).toMatchObject({
      url: 'https://new.test/',
      events: ['user.created'],
      status: 'disabled',
    });
  });

  it.each([
    ['nothing', {}],
    ['empty events', { events: [] }],
    ['another status', { status: 'paused' }],
    ['a secret', { secret: SECRET }],
    ['a field that does not exist', { active: true }],
    ['no URL at all', { url: null }],
  ])('refuses %s', async (_what, body) => {
    const { id } = await bench.register();
    expect(await bench.call('updateWebhook', { id, body })).toMatchObject({ status: 400 });
  });

  it('checks a new URL like the first one', async () => {
    const { id } = await bench.register();
    for (const url of ['http://hook.test/', 'https://10.0.0.1/'])
      expect(await bench.call('updateWebhook', { id, body: { url } })).toMatchObject({
        refusal: { code: 'INVALID_REQUEST', details: [{ path: 'url' }] },
      });
  });

  it('honours If-Match, whatever the outcomes of deliveries since then', async () => {
    const { id } = await bench.register();
    const { version } = await bench.call('getWebhook', { id });
    bench.notes.set(id, { last_trigger_status: 'failed' });
    const body = { description: 'Mine' };
    const first = await bench.call('updateWebhook', { id, body, ifMatch: [version!] });
    expect(first.status).toBe(200);
    const stale = await bench.call('updateWebhook', { id, body, ifMatch: [version!] });
    expect(stale.refusal?.code).toBe('PRECONDITION_FAILED');
    expect(
      await bench.call('updateWebhook', {
        id,
        body: { description: 'B' },
        ifMatch: [first.version!],
      }),
    ).toMatchObject({ status: 200 });
    expect(await bench.call('updateWebhook', { id, body, ifMatch: '*' })).toMatchObject({
      status: 200,
    });
  });
});

describe('DELETE /webhooks/{id}', () => {
  it('removes the registration', async () => {
    const { id } = await bench.register();
    expect(await bench.call('deleteWebhook', { id })).toEqual({ status: 204 });
    expect((await bench.call('getWebhook', { id })).refusal?.code).toBe('WEBHOOK_NOT_FOUND');
    expect((await bench.call('deleteWebhook', { id })).refusal?.code).toBe('WEBHOOK_NOT_FOUND');
  });
});

it('requires the scope webhooks on every route', () => {
  expect(bench.routes.map(({ scope }) => scope)).toEqual(Array(15).fill('webhooks'));
  expect(bench.routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /webhooks',
    'GET /webhooks',
    'GET /webhooks/{id}',
    'PATCH /webhooks/{id}',
    'POST /webhooks/{id}/rotate-secret',
    'DELETE /webhooks/{id}',
    'GET /deliveries',
    'GET /webhooks/{id}/deliveries',
    'GET /webhooks/{id}/activity',
    'GET /webhooks/{id}/deliveries/{deliveryId}',
    'POST /webhooks/{id}/deliveries/{deliveryId}/redeliver',
    'POST /webhooks/{id}/recover',
    'GET /webhooks/{id}/recoveries/{recoveryId}',
    'POST /webhooks/{id}/test',
    'GET /events',
  ]);
});

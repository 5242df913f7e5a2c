import { beforeAll, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(env);
beforeAll(open);

let keys = 0;
const newKey = () => ({ 'idempotency-key': `key-${(keys += 1)}` });
const ada = { email: 'ada@example.com' };

const setSeats = async ({ slug }: TestTenant, seat_capacity: number): Promise<void> => {
  const operator = await gateway.operator();
  expect((await operator('PATCH', `/tenants/${slug}`, { seat_capacity })).status).toBe(200);
};

describe('a request that is repeated with its Idempotency-Key', () => {
  it('gets the first response again, marked as replayed', async () => {
    const { native } = await gateway.tenant();
    const key = newKey();
    const first = await native<{ id: string }>('POST', '/users', ada, key);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    await native('PATCH', `/users/${first.body.id}`, { display_name: 'Ada L.' });
    const second = await native('POST', '/users', ada, key);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  it('is decided again if it was refused', async () => {
    const tenant = await gateway.tenant({ seat_capacity: 0 });
    const key = newKey();
    const refused = await tenant.native('POST', '/users', ada, key);
    expect([refused.status, refused.body.error]).toEqual([403, 'SEAT_CAPACITY_REACHED']);
    await setSeats(tenant, 1);
    const created = await tenant.native('POST', '/users', ada, key);
    expect([created.status, created.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const replayed = await tenant.native('POST', '/users', ada, key);
    expect([replayed.status, replayed.body]).toEqual([201, created.body]);
  });

  it('waits for the first while that is running, and gets its response', async () => {
    const { native } = await gateway.tenant();
    const key = newKey();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => native('POST', '/users', ada, key)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    const replayed = responses.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toHaveLength(7);
  });

  it('is matched by API key, method and path', async () => {
    const { slug, native } = await gateway.tenant();
    const { key } = await gateway.createKey(slug);
    const { native: other } = await gateway.tenantWithKey(slug, key);
    const given = newKey();
    const list = { name: 'On call' };
    expect((await native('POST', '/users', ada, given)).status).toBe(201);
    expect((await native('POST', '/sms-lists', list, given)).status).toBe(201);
    const taken = await other('POST', '/users', ada, given);
    expect([taken.status, taken.body.error]).toEqual([409, 'EMAIL_TAKEN']);
  });

  it('returns the secret of a webhook again', async () => {
    const { native } = await gateway.tenant();
    const key = newKey();
    const body = { url: receiver().url, events: ['*'] };
    const first = await native('POST', '/webhooks', body, key);
    expect(first.body.secret).toMatch(/^whsec_/);
    const second = await native('POST', '/webhooks', body, key);
    expect([second.status, second.body.secret]).toEqual([201, first.body.secret]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('runs an action only once', async () => {
    const { native } = await gateway.tenant();
    const hook = await native('POST', '/webhooks', { url: receiver().url, events: ['*'] });
    const path = `/webhooks/${String(hook.body.id)}/test`;
    const key = newKey();
    const first = await native('POST', path, undefined, key);
    const second = await native('POST', path, undefined, key);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

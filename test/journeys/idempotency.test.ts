import { describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant } from '../support/gateway.js';

const gateway = TestGateway.use();

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
});

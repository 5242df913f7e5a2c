import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Client,
  createResource,
  createUsersInBulk,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';

const gateway = TestGateway.use(() => ({ ROLLGATE_RATE_LIMIT: '100000' }));
/** Generous, for slow machines. */
const WAIT = { timeout: 120_000, interval: 25 };

let operator: Client;
let tenant: TestTenant;
beforeAll(async () => {
  operator = await gateway.operator();
  tenant = await gateway.tenant({ seat_capacity: 10_000 });
});

const createRoom = (name: string): Promise<string> =>
  createResource(operator, `/tenants/${tenant.slug}/rooms`, { name });

describe('a dry run', () => {
  it('writes no webhook registration, and cannot be used for a webhook test', async () => {
    const body = { url: 'https://hooks.example.com/in', events: ['*'] };
    const preview = await tenant.native('POST', '/webhooks?dry_run=true', body);
    expect(preview.body).toMatchObject({ status: 201, body: { url: body.url }, events: [] });
    expect((await tenant.native('GET', '/webhooks')).body).toMatchObject({ total: 0 });
    const id = await createResource(tenant.native, '/webhooks', body);
    const change = { description: 'Badges' };
    await tenant.native('PATCH', `/webhooks/${id}?dry_run=true`, change);
    await tenant.native('DELETE', `/webhooks/${id}?dry_run=true`);
    const kept = await tenant.native('GET', `/webhooks/${id}`);
    expect(kept.body).toMatchObject({ id, description: null });
    const test = await tenant.native('POST', `/webhooks/${id}/test?dry_run=true`);
    expect([test.status, test.body['error']]).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('a room of 5,000', { timeout: 300_000 }, () => {
  it('is filled by one PUT, listed in one response, and emptied by a job', async () => {
    const room = await createRoom('All hands');
    const path = `/rooms/${room}/members`;
    const users = await createUsersInBulk(tenant, 'e', 5_000);
    const members = users.map((user_id) => ({ user_id }));
    const preview = await tenant.native('PUT', `${path}?dry_run=true`, { members });
    expect(preview.body).toMatchObject({
      status: 200,
      body: { members_added: 5_000 },
      remaining: 5_000,
    });
    const put = await tenant.native('PUT', path, { members });
    expect(put.body).toMatchObject({ members_added: 5_000, members_removed: 0 });
    const jobs = `/tenants/${tenant.slug}/jobs?state=running`;
    const idle = () =>
      vi.waitFor(
        async () => expect((await operator('GET', jobs)).body).toMatchObject({ total: 0 }),
        WAIT,
      );
    await idle();

    const list = await tenant.native<{ members: { user_id: string }[]; total: number }>(
      'GET',
      path,
    );
    expect(list.headers.get('transfer-encoding')).toBe('chunked');
    expect([list.body.members.length, list.body.total]).toEqual([5_000, 5_000]);
    expect(list.body.members.map(({ user_id }) => user_id)).toEqual([...users].sort());
    const page = await tenant.native<{ members: unknown[] }>(
      'GET',
      `${path}?limit=500&offset=4900`,
    );
    expect([page.body.members.length, page.body['total' as never]]).toEqual([100, 5_000]);

    expect((await operator('DELETE', `/tenants/${tenant.slug}/rooms/${room}`)).status).toBe(204);
    expect((await tenant.native('GET', path)).status).toBe(404);
    await idle();
    const { body } = await operator<{ jobs: object[] }>('GET', `/tenants/${tenant.slug}/jobs`);
    expect(body.jobs[0]).toMatchObject({
      kind: 'roster.clear',
      state: 'done',
      done: 5_000,
      total: 5_000,
    });
  });
});

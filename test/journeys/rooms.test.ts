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

interface RoomEvent {
  readonly event: string;
  readonly data: {
    readonly room: Record<string, unknown>;
    readonly user: { readonly id: string };
    readonly tx_permission: boolean;
  };
}

const createRoom = (name: string): Promise<string> =>
  createResource(operator, `/tenants/${tenant.slug}/rooms`, { name });

/** The events after this position of the tenant's log. */
const eventsAfter = async (seq: number) => {
  const { body } = await tenant.native<{ events: RoomEvent[] }>(
    'GET',
    `/events?after=${seq}&limit=500`,
  );
  return body.events.map(({ event, data }) => [event, data.user.id, data.tx_permission] as const);
};

const lastSeq = async (): Promise<number> => {
  for (let after = 0; ;) {
    const path = `/events?after=${after}&limit=500`;
    const { body } = await tenant.native<{ events: { seq: number }[] }>('GET', path);
    const last = body.events.at(-1)?.seq;
    if (last === undefined) return after;
    after = last;
  }
};

const byUser = (
  one: readonly [string, string, boolean],
  other: readonly [string, string, boolean],
) => (one[1] < other[1] ? -1 : 1);

describe('a room created by an operator', () => {
  it('has the members that an integrator PUTs, with exact counts and an event per change', async () => {
    const room = await createRoom('Dispatch');
    const [ada, bob, cyd, dan] = (await createUsersInBulk(tenant, 'd', 4)) as [
      string,
      string,
      string,
      string,
    ];
    const path = `/rooms/${room}/members`;
    const put = (members: readonly object[]) => tenant.native('PUT', path, { members });
    let seq = await lastSeq();

    const first = await put([
      { user_id: ada },
      { user_id: bob, tx_permission: true },
      { user_id: cyd },
    ]);
    expect([first.status, first.body]).toEqual([
      200,
      { room_id: room, members_added: 3, members_updated: 0, members_removed: 0 },
    ]);
    expect((await eventsAfter(seq)).sort(byUser)).toEqual(
      [
        ['room.member_added', ada, false] as const,
        ['room.member_added', bob, true] as const,
        ['room.member_added', cyd, false] as const,
      ].sort(byUser),
    );

    seq = await lastSeq();
    const second = await put([
      { user_id: ada, tx_permission: true },
      { user_id: bob },
      { user_id: dan },
    ]);
    expect(second.body).toMatchObject({
      members_added: 1,
      members_updated: 1,
      members_removed: 1,
    });
    expect((await eventsAfter(seq)).sort(byUser)).toEqual(
      [
        ['room.member_updated', ada, true] as const,
        ['room.member_added', dan, false] as const,
        ['room.member_removed', cyd, false] as const,
      ].sort(byUser),
    );
    seq = await lastSeq();
    const unchanged = await put([{ user_id: ada }, { user_id: bob }, { user_id: dan }]);
    expect(unchanged.body).toMatchObject({
      members_added: 0,
      members_updated: 0,
      members_removed: 0,
    });
    const refused = await put([{ user_id: ada }, { user_id: ada }, { user_id: 'unknown' }]);
    expect([refused.status, refused.body['error']]).toEqual([400, 'INVALID_REQUEST']);
    expect(await eventsAfter(seq)).toEqual([]);

    const list = await tenant.native<{ members: { user_id: string; tx_permission: boolean }[] }>(
      'GET',
      path,
    );
    expect(list.body.members.map(({ user_id, tx_permission }) => [user_id, tx_permission])).toEqual(
      [[ada, true] as const, [bob, true] as const, [dan, false] as const].sort(([one], [other]) =>
        one < other ? -1 : 1,
      ),
    );
    expect((await tenant.native('GET', `/rooms/${room}`)).body).toMatchObject({ member_count: 3 });
  });

  it('can be mapped to a group with a role, which its members get', async () => {
    const room = await createRoom('Leads');
    const path = `/tenants/${tenant.slug}/role-mappings`;
    await operator('POST', path, { group_display_name: 'Team leads', role: 'lead' });
    const [user] = await createUsersInBulk(tenant, 'lead', 1);
    await tenant.native('POST', `/rooms/${room}/members`, { user_id: user });
    const preview = await tenant.native<{ role_changes: unknown }>(
      'PATCH',
      `/rooms/${room}`,
      { display_name: 'Team leads' },
      { prefer: 'dry-run' },
    );
    expect(preview.headers.get('preference-applied')).toBe('dry-run');
    expect(preview.body).toMatchObject({
      dry_run: true,
      status: 200,
      body: { display_name: 'Team leads', role: 'lead' },
      role_changes: [{ user_id: user, from: 'member', to: 'lead' }],
    });
    expect((await tenant.native('GET', `/users/${user}`)).body).toMatchObject({ role: 'member' });
    const mapped = await tenant.native('PATCH', `/rooms/${room}`, { display_name: 'Team leads' });
    expect(mapped.body).toMatchObject({ name: 'Leads', display_name: 'Team leads', role: 'lead' });
    expect((await tenant.native('GET', `/users/${user}`)).body).toMatchObject({ role: 'lead' });
  });
});

describe('a dry run', () => {
  // A new tenant, because log lines of commands without changes are written a moment later.
  beforeAll(async () => {
    tenant = await gateway.tenant({ seat_capacity: 10_000 });
  });

  it('writes no user, no event, no log line and no idempotency record', async () => {
    const slug = `/tenants/${tenant.slug}/commands`;
    const total = async () =>
      (await operator<{ commands: unknown[] }>('GET', slug)).body.commands.length;
    const [seq, lines] = [await lastSeq(), await total()];
    const body = { email: 'dry@example.com' };
    const headers = { 'idempotency-key': 'dry-1' };
    const preview = await tenant.native('POST', '/users?dry_run=true', body, headers);
    expect(preview.body).toMatchObject({ dry_run: true, status: 201, event_count: 1 });
    const before = (preview.body['seats'] as { before: number }).before;
    expect(preview.body['seats']).toEqual({ capacity: 10_000, before, after: before + 1 });
    expect([await lastSeq(), await total()]).toEqual([seq, lines]);
    const created = await tenant.native('POST', '/users', body, headers);
    expect(created.status).toBe(201);
  });

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

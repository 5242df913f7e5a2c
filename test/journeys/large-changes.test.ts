import { describe, expect, it, vi } from 'vitest';
import { type Answer, type Client, TestGateway, type TestTenant } from '../support/gateway.js';

/** Its responses wait for their jobs, however long these take. */
const patient = TestGateway.use();
/** Its responses wait for nothing. */
const hasty = TestGateway.use(() => ({}), { jobWaitMs: 0 });

interface Job {
  readonly id: string;
  readonly state: 'running' | 'done';
  readonly done: number;
  readonly total: number;
}
interface Event {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const COUNT = 3_000;
const numberOf = (at: number): string => `+4915${String(at).padStart(9, '0')}`;
const numbers = (count: number) => ({
  members: Array.from({ length: count }, (_, at) => ({ phone_number: numberOf(at) })),
});

const makeList = async ({ native }: TestTenant): Promise<string> => {
  const { body } = await native<{ id: string }>('POST', '/sms-lists', { name: 'Night shift' });
  return `/sms-lists/${body.id}`;
};

const eventsOf = async ({ native }: TestTenant, name: string): Promise<readonly Event[]> => {
  const { body } = await native<{ events: readonly Event[] }>('GET', '/events?limit=500');
  return body.events.filter(({ event }) => event === name);
};

const memberCount = async ({ native }: TestTenant, list: string): Promise<number> =>
  (await native<{ member_count: number }>('GET', list)).body.member_count;

/** The path of a job below the client's own base. */
const jobPathOf = ({ headers }: Answer<unknown>): string => {
  const [, path] = /(\/jobs\/[^/]+)$/.exec(headers.get('location') ?? '') ?? [];
  expect(path).toBeDefined();
  return path ?? '';
};

const untilDone = (read: Client, path: string): Promise<Answer<Job>> =>
  vi.waitFor(
    async () => {
      const answer = await read<Job>('GET', path);
      expect(answer.body.state).toBe('done');
      return answer;
    },
    { timeout: 80_000, interval: 50 },
  );

/** More users than one commit changes, made by SCIM Bulk. */
const makeUsers = async ({ scim }: TestTenant): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const part of [1, 2]) {
    const { body } = await scim<{ Operations: readonly { location: string }[] }>('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: Array.from({ length: 600 }, (_, at) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `u${at}`,
        data: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: `user${part}-${at}@example.com`,
        },
      })),
    });
    ids.push(...body.Operations.map(({ location }) => location.split('/').at(-1) ?? ''));
  }
  return ids;
};

describe('a PUT of 3,000 numbers', () => {
  it('emits its one event when the list shows all of them, and not before', async () => {
    const tenant = await hasty.tenant();
    const list = await makeList(tenant);
    const put = await tenant.native('PUT', `${list}/members`, numbers(COUNT));
    expect(put.status).toBe(202);
    const events = await vi.waitFor(
      async () => {
        const found = await eventsOf(tenant, 'sms_list.members_added');
        expect(found).not.toEqual([]);
        return found;
      },
      { timeout: 80_000, interval: 5 },
    );
    expect(await memberCount(tenant, list)).toBe(COUNT);
    expect(events).toMatchObject([
      { data: { added: COUNT, updated: 0, api_key_id: tenant.keyId } },
    ]);
  });

  it('has done all of it when it is answered with 200', async () => {
    const tenant = await patient.tenant();
    const list = await makeList(tenant);
    const put = await tenant.native('PUT', `${list}/members`, numbers(COUNT));
    expect([put.status, put.body]).toEqual([
      200,
      {
        list_id: list.split('/').at(-1),
        members_added: COUNT,
        members_updated: 0,
        members_removed: 0,
      },
    ]);
    expect(await memberCount(tenant, list)).toBe(COUNT);
    expect(await eventsOf(tenant, 'sms_list.members_added')).toHaveLength(1);
    expect((await tenant.native('PUT', `${list}/members`, numbers(0))).status).toBe(200);
    expect(await memberCount(tenant, list)).toBe(0);
    expect(await eventsOf(tenant, 'sms_list.members_removed')).toMatchObject([
      { data: { removed: COUNT } },
    ]);
  });
});

describe('a response that has waited long enough', () => {
  it('is 202 with the same body, the job and where to read it', async () => {
    const tenant = await hasty.tenant();
    const list = await makeList(tenant);
    const put = await tenant.native<{ job: Job }>('PUT', `${list}/members`, numbers(COUNT));
    expect(put.status).toBe(202);
    expect(put.body).toEqual({
      list_id: list.split('/').at(-1),
      members_added: COUNT,
      members_updated: 0,
      members_removed: 0,
      job: { id: put.body.job.id, done: expect.any(Number) as unknown, total: COUNT },
    });
    const { publicUrl } = await hasty.open();
    expect(put.headers.get('location')).toBe(
      `${publicUrl}/v1/${tenant.slug}/jobs/${put.body.job.id}`,
    );
    const done = await untilDone(tenant.native, jobPathOf(put));
    expect(done.body).toMatchObject({ id: put.body.job.id, done: COUNT, total: COUNT });
  });

  it('names a job that only keys with the scope of the request can read', async () => {
    const tenant = await hasty.tenant();
    const list = await makeList(tenant);
    const put = await tenant.native('PUT', `${list}/members`, numbers(COUNT));
    const readWith = async (scope: 'api:sms_lists:write' | 'api:sms_lists:read') => {
      const { key } = await hasty.makeKey(tenant.slug, [scope]);
      const { native } = await hasty.tenantWith(tenant.slug, key);
      return native('GET', jobPathOf(put));
    };
    expect((await readWith('api:sms_lists:write')).status).toBe(200);
    const hidden = await readWith('api:sms_lists:read');
    expect([hidden.status, hidden.body.error]).toEqual([404, 'JOB_NOT_FOUND']);
    const stranger = await hasty.tenant();
    expect((await stranger.native('GET', jobPathOf(put))).status).toBe(404);
    await untilDone(tenant.native, jobPathOf(put));
  });

  it('keeps its own status in SCIM, and names the job in a header', async () => {
    const tenant = await hasty.tenant();
    const ids = await makeUsers(tenant);
    const operator = await hasty.operator();
    await operator('POST', `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    const made = await tenant.scim<{ id: string }>('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Dispatch',
      members: ids.map((value) => ({ value })),
    });
    expect(made.status).toBe(201);
    const job = made.headers.get('rollgate-job') ?? '';
    await untilDone(tenant.native, `/jobs/${job}`);
    const gone = await tenant.scim('DELETE', `/Groups/${made.body.id}`);
    expect(gone.status).toBe(204);
    await untilDone(tenant.native, `/jobs/${gone.headers.get('rollgate-job') ?? ''}`);
    const { body } = await tenant.native<{ events: readonly Event[] }>('GET', '/events?after=3600');
    expect(body.events.map(({ event }) => event)).toEqual(['room.member_removed', 'group.deleted']);
  });

  it("is the same for operators, whose jobs a tenant's keys cannot read", async () => {
    const tenant = await hasty.tenant();
    const operator = await hasty.operator();
    await makeUsers(tenant);
    const path = `/tenants/${tenant.slug}`;
    const patch = await operator<{ job: Job; default_role: string }>('PATCH', path, {
      default_role: 'guest',
    });
    expect([patch.status, patch.body.default_role]).toEqual([202, 'guest']);
    expect((await tenant.native('GET', jobPathOf(patch))).status).toBe(404);
    await untilDone(operator, path + jobPathOf(patch));
    const { body } = await tenant.native<{ events: readonly Event[] }>(
      'GET',
      '/events?after=1200&limit=500',
    );
    expect(body.events[0]).toMatchObject({
      event: 'user.updated',
      data: { changed: ['role'], role: 'guest', previous_role: 'member' },
    });
  });
});

describe('a group that SCIM has changed by a job', () => {
  it('is answered as it is afterwards, with the version that it has then', async () => {
    const tenant = await patient.tenant();
    const ids = await makeUsers(tenant);
    const operator = await patient.operator();
    await operator('POST', `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    const made = await tenant.scim<{ id: string; members: unknown[] }>('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Dispatch',
      members: ids.map((value) => ({ value })),
    });
    expect([made.status, made.body.members.length]).toEqual([201, 1_200]);
    expect(made.headers.get('rollgate-job')).toBeNull();
    const read = await tenant.scim('GET', `/Groups/${made.body.id}`);
    expect(read.headers.get('etag')).toBe(made.headers.get('etag'));
  });
});

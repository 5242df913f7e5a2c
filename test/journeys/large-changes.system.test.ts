import { describe, expect, it } from 'vitest';
import {
  type ApiResponse,
  type Client,
  createResource,
  createUsersInBulk,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { GROUP_URN } from '../support/scim-urns.js';
import { eventually } from '../support/eventually.js';

/** Responses wait until jobs are done. */
const waiting = TestGateway.use();
/** Responses do not wait for jobs. */
const immediate = TestGateway.use(() => ({}), { jobWaitMs: 0 });

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

const createList = async ({ native }: TestTenant): Promise<string> =>
  `/sms-lists/${await createResource(native, '/sms-lists', { name: 'Night shift' })}`;

const eventsOf = async ({ native }: TestTenant, name: string): Promise<readonly Event[]> => {
  const { body } = await native<{ events: readonly Event[] }>('GET', '/events?limit=500');
  return body.events.filter(({ event }) => event === name);
};

const memberCount = async ({ native }: TestTenant, list: string): Promise<number> =>
  (await native<{ member_count: number }>('GET', list)).body.member_count;

/** The path of the job, relative to the client's base URL. */
const jobPathOf = ({ headers }: ApiResponse<unknown>): string => {
  const [, path] = /(\/jobs\/[^/]+)$/.exec(headers.get('location') ?? '') ?? [];
  expect(path).toBeDefined();
  return path ?? '';
};

const untilDone = (read: Client, path: string): Promise<ApiResponse<Job>> =>
  eventually(async () => {
    const answer = await read<Job>('GET', path);
    expect(answer.body.state).toBe('done');
    return answer;
  });

/** More users than one commit changes. */
const createUsers = (tenant: TestTenant): Promise<readonly string[]> =>
  createUsersInBulk(tenant, 'user', 1_200);

describe('a PUT of 3,000 numbers', () => {
  it('emits its event only when the list has all numbers', async () => {
    const tenant = await immediate.tenant();
    const list = await createList(tenant);
    const put = await tenant.native('PUT', `${list}/members`, numbers(COUNT));
    expect(put.status).toBe(202);
    const events = await eventually(async () => {
      const found = await eventsOf(tenant, 'sms_list.members_added');
      expect(found).not.toEqual([]);
      return found;
    });
    expect(await memberCount(tenant, list)).toBe(COUNT);
    expect(events).toMatchObject([
      { data: { added: COUNT, updated: 0, api_key_id: tenant.keyId } },
    ]);
  });

  it('is complete when it returns 200', async () => {
    const tenant = await waiting.tenant();
    const list = await createList(tenant);
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

describe('a response after the maximum wait for a job', () => {
  it('has status 202, the same body with the job, and its Location', async () => {
    const tenant = await immediate.tenant();
    const list = await createList(tenant);
    const put = await tenant.native<{ job: Job }>('PUT', `${list}/members`, numbers(COUNT));
    expect(put.status).toBe(202);
    expect(put.body).toEqual({
      list_id: list.split('/').at(-1),
      members_added: COUNT,
      members_updated: 0,
      members_removed: 0,
      job: { id: put.body.job.id, done: expect.any(Number) as unknown, total: COUNT },
    });
    const { publicUrl } = await immediate.open();
    expect(put.headers.get('location')).toBe(
      `${publicUrl}/v1/${tenant.slug}/jobs/${put.body.job.id}`,
    );
    const done = await untilDone(tenant.native, jobPathOf(put));
    expect(done.body).toMatchObject({ id: put.body.job.id, done: COUNT, total: COUNT });
  });

  it('refers to a job that only keys with the scope of the request can read', async () => {
    const tenant = await immediate.tenant();
    const list = await createList(tenant);
    const put = await tenant.native('PUT', `${list}/members`, numbers(COUNT));
    const readWith = async (scope: 'api:sms_lists:write' | 'api:sms_lists:read') => {
      const { key } = await immediate.createKey(tenant.slug, [scope]);
      const { native } = await immediate.tenantWithKey(tenant.slug, key);
      return native('GET', jobPathOf(put));
    };
    expect((await readWith('api:sms_lists:write')).status).toBe(200);
    const hidden = await readWith('api:sms_lists:read');
    expect([hidden.status, hidden.body.error]).toEqual([404, 'JOB_NOT_FOUND']);
    const other = await immediate.tenant();
    expect((await other.native('GET', jobPathOf(put))).status).toBe(404);
    await untilDone(tenant.native, jobPathOf(put));
  });

  it('keeps its status in SCIM, and has the job in a header', async () => {
    const tenant = await immediate.tenant();
    const ids = await createUsers(tenant);
    const operator = await immediate.operator();
    await operator('POST', `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    const created = await tenant.scim<{ id: string }>('POST', '/Groups', {
      schemas: [GROUP_URN],
      displayName: 'Dispatch',
      members: ids.map((value) => ({ value })),
    });
    expect(created.status).toBe(201);
    const job = created.headers.get('rollgate-job') ?? '';
    await untilDone(tenant.native, `/jobs/${job}`);
    const deleted = await tenant.scim('DELETE', `/Groups/${created.body.id}`);
    expect(deleted.status).toBe(204);
    await untilDone(tenant.native, `/jobs/${deleted.headers.get('rollgate-job') ?? ''}`);
    const { body } = await tenant.native<{ events: readonly Event[] }>('GET', '/events?after=3600');
    expect(body.events.map(({ event }) => event)).toEqual(['room.member_removed', 'group.deleted']);
  });

  it("has status 202 for operators too, whose jobs a tenant's keys cannot read", async () => {
    const tenant = await immediate.tenant();
    const operator = await immediate.operator();
    await createUsers(tenant);
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

describe('a SCIM group created by a job', () => {
  it('is returned in its final state and version', async () => {
    const tenant = await waiting.tenant();
    const ids = await createUsers(tenant);
    const operator = await waiting.operator();
    await operator('POST', `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    const created = await tenant.scim<{ id: string; members: unknown[] }>('POST', '/Groups', {
      schemas: [GROUP_URN],
      displayName: 'Dispatch',
      members: ids.map((value) => ({ value })),
    });
    expect([created.status, created.body.members.length]).toEqual([201, 1_200]);
    expect(created.headers.get('rollgate-job')).toBeNull();
    const read = await tenant.scim('GET', `/Groups/${created.body.id}`);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
  });
});

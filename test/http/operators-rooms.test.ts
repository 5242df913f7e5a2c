import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { JobId, RosterId } from '../../src/domain/kernel/ids.js';
import type { Job } from '../../src/domain/job/job.js';
import { jobTable } from '../../src/store/tables/jobs.js';
import { requestTo } from '../support/ask.js';
import { idOf, NOW } from '../support/builders.js';
import { ADMIN_TOKEN, type TestApp, openEdge } from '../support/edge.js';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

let fake: TestApp;
beforeEach(async () => {
  fake = await openEdge();
});

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, slug = 'acme') => {
  const sent = requestTo(fake.app)[method](`/admin/v1/tenants/${slug}${path}`);
  return sent.set('Authorization', `Bearer ${ADMIN_TOKEN}`);
};

interface Made {
  readonly id: string;
}

const make = async (path: string, body: object): Promise<Made> =>
  (await call('post', path).send(body).expect(201)).body as Made;

const makeRoom = (name = 'Dispatch') => make('/rooms', { name });
const MAPPING = { group_display_name: 'Dispatchers', role: 'dispatcher' };

describe('rooms', () => {
  it('are created with a name and returned', async () => {
    const { status, body, headers } = await call('post', '/rooms').send({ name: 'Dispatch' });
    expect(status).toBe(201);
    expect(headers['etag']).toBe('W/"1"');
    expect(body).toEqual({
      id: expect.stringMatching(UUID) as string,
      name: 'Dispatch',
      display_name: null,
      external_id: null,
      member_count: 0,
      created_at: expect.stringMatching(INSTANT) as string,
      role: null,
      group_id: null,
    });
  });

  it('are paged, and found by name', async () => {
    for (const name of ['One', 'Two', 'Three']) await makeRoom(name);
    const { body } = await call('get', '/rooms?limit=2&offset=1').expect(200);
    expect(body).toMatchObject({
      rooms: [{ name: 'Two' }, { name: 'Three' }],
      total: 3,
      limit: 2,
      offset: 1,
    });
    expect((await call('get', '/rooms?name=TWO')).body).toMatchObject({ total: 1, limit: 100 });
  });

  it('are read, renamed and deleted, with versions', async () => {
    const path = `/rooms/${(await makeRoom()).id}`;
    const renamed = await call('patch', path).set('If-Match', 'W/"1"').send({ name: 'Day' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'Day' }]);
    await call('patch', path).set('If-Match', 'W/"1"').send({ name: 'X' }).expect(412);
    expect((await call('get', path)).headers['etag']).toBe('W/"2"');
    await call('get', path).set('If-None-Match', 'W/"2"').expect(304);
    await call('delete', path).expect(204);
    const gone = await call('get', path);
    expect([gone.status, gone.body]).toMatchObject([404, { error: 'ROOM_NOT_FOUND' }]);
  });

  it.each([
    [{}, 'name', 'is required'],
    [{ name: '' }, 'name', 'must not be empty'],
    [{ name: 'a\tb' }, 'name', 'must not contain control characters'],
    [{ name: 'x'.repeat(257) }, 'name', 'must have at most 256 characters'],
    [{ name: 'x', id: 'y' }, 'id', 'is not a known field'],
  ])('are refused with %j', async (body, path, message) => {
    const answer = await call('post', '/rooms').send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path, message }] }]);
  });
});

describe('role mappings', () => {
  it('apply with the default priority', async () => {
    const { body } = await call('post', '/role-mappings').send(MAPPING).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(UUID) as string,
      ...MAPPING,
      apply_on_scim_provisioning: true,
      priority: 100,
      source: 'scim',
      created_at: expect.stringMatching(INSTANT) as string,
    });
  });

  it('are listed, found by group, read, changed and deleted', async () => {
    const { id } = await make('/role-mappings', MAPPING);
    await make('/role-mappings', { ...MAPPING, group_display_name: 'Admins', priority: 1 });
    expect((await call('get', '/role-mappings')).body).toMatchObject({
      role_mappings: [{ id }, { group_display_name: 'Admins', priority: 1 }],
      total: 2,
      limit: 100,
      offset: 0,
    });
    const found = await call('get', '/role-mappings?group_display_name=ADMINS');
    expect(found.body).toMatchObject({ total: 1, role_mappings: [{ priority: 1 }] });
    const path = `/role-mappings/${id}`;
    const changes = { role: 'lead', apply_on_scim_provisioning: false, priority: 0 };
    const changed = await call('patch', path).send(changes).expect(200);
    expect(changed.body).toMatchObject({ id, ...MAPPING, ...changes });
    expect((await call('get', path)).body).toEqual(changed.body);
    await call('delete', path).expect(204);
    const gone = await call('get', path);
    expect([gone.status, gone.body]).toMatchObject([404, { error: 'ROLE_MAPPING_NOT_FOUND' }]);
  });

  it('support If-Match', async () => {
    const made = await call('post', '/role-mappings').send(MAPPING).expect(201);
    expect(made.headers['etag']).toBe('W/"1"');
    const path = `/role-mappings/${(made.body as { id: string }).id}`;
    const first = await call('patch', path).set('If-Match', 'W/"1"').send({ priority: 1 });
    expect([first.status, first.headers['etag']]).toEqual([200, 'W/"2"']);
    await call('patch', path).set('If-Match', 'W/"1"').send({ priority: 2 }).expect(412);
    await call('delete', path).set('If-Match', 'W/"1"').expect(412);
    await call('get', path).set('If-None-Match', 'W/"2"').expect(304);
    expect((await call('get', path)).body).toMatchObject({ priority: 1 });
    await call('delete', path).set('If-Match', 'W/"2"').expect(204);
  });

  it.each([
    [{ ...MAPPING, role: '' }, 'role', 'must not be empty'],
    [{ ...MAPPING, role: 'x'.repeat(65) }, 'role', 'must have at most 64 characters'],
    [{ ...MAPPING, priority: -1 }, 'priority', 'must be at least 0'],
    [{ ...MAPPING, priority: 1.5 }, 'priority', 'must be a whole number'],
    [{ ...MAPPING, source: 'scim' }, 'source', 'is not a known field'],
    [{ role: 'x' }, 'group_display_name', 'is required'],
  ])('are refused with %j', async (body, path, message) => {
    const answer = await call('post', '/role-mappings').send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path, message }] }]);
  });

  it('refuse an empty change', async () => {
    const { id } = await make('/role-mappings', MAPPING);
    expect((await call('patch', `/role-mappings/${id}`).send({})).status).toBe(400);
  });
});

describe('jobs', () => {
  const aJob = (number: number, more: Partial<Job> = {}): Job => ({
    id: idOf<JobId>(number),
    tenantId: fake.tenant.id,
    work: { kind: 'roles.recompute', rosterId: idOf<RosterId>(number) },
    cursor: '',
    done: 250,
    total: 4_000,
    readableBy: [],
    requestId: 'request-1',
    createdAt: new Date(NOW.getTime() + number * 1_000),
    updatedAt: new Date(),
    finishedAt: null,
    ...more,
  });

  it('are listed newest first, filtered by state, and read', async () => {
    const done = { done: 4_000, finishedAt: NOW };
    const given = [aJob(1, done), aJob(2), aJob(3, { id: `${idOf(3)}-1` as JobId })];
    await fake.collections.jobs.insertMany(given.map((job) => jobTable.toDocument(job)));
    // Before a gateway would continue them.
    onTestFinished(async () => {
      await fake.collections.jobs.deleteMany({});
    });
    const { body } = await call('get', '/jobs').expect(200);
    const { jobs, total } = body as { jobs: Made[]; total: number };
    expect([total, ...jobs.map(({ id }) => id)]).toEqual([3, `${idOf(3)}-1`, idOf(2), idOf(1)]);
    expect((await call('get', '/jobs?state=done')).body).toMatchObject({
      jobs: [{ id: idOf(1), state: 'done', finished_at: NOW.toISOString() }],
      total: 1,
    });
    expect((await call('get', '/jobs?state=running')).body).toMatchObject({ total: 2 });
    expect((await call('get', `/jobs/${idOf(2)}`)).body).toEqual({
      id: idOf(2),
      kind: 'roles.recompute',
      state: 'running',
      done: 250,
      total: 4_000,
      created_at: '2026-11-21T09:00:02.000Z',
      finished_at: null,
    });
    expect((await call('get', `/jobs/${idOf(3)}-1`)).status).toBe(200);
  });
});

describe('a resource of another tenant', () => {
  it('is not found under this one', async () => {
    await fake.addTenant();
    const paths = [
      `/rooms/${(await makeRoom()).id}`,
      `/role-mappings/${(await make('/role-mappings', MAPPING)).id}`,
    ];
    for (const path of paths) {
      await call('get', path).expect(200);
      for (const method of ['get', 'delete'] as const)
        expect((await call(method, path, 'globex')).status).toBe(404);
    }
    expect((await call('patch', paths[0]!, 'globex').send({ name: 'X' })).status).toBe(404);
    expect((await call('patch', paths[1]!, 'globex').send({ role: 'x' })).status).toBe(404);
    expect((await call('get', '/rooms', 'globex')).body).toMatchObject({ total: 0 });
    expect((await call('get', '/role-mappings', 'globex')).body).toMatchObject({ total: 0 });
    expect((await call('get', '/rooms', 'nobody')).body).toMatchObject({
      error: 'TENANT_NOT_FOUND',
    });
  });
});

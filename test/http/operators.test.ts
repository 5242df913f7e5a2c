import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandId } from '../../src/domain/kernel/ids.js';
import { refuse } from '../../src/domain/kernel/refusals.js';
import type { CommandLogEntry } from '../../src/pipeline/commit-store.js';
import { idOf } from '../support/builders.js';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, type TestApp, openEdge } from '../support/edge.js';

let fake: TestApp;
const open = async () => {
  fake = await openEdge();
};

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string) =>
  requestTo(fake.app)[method](`/admin/v1${path}`).set('Authorization', `Bearer ${ADMIN_TOKEN}`);

describe('tenants', () => {
  beforeEach(open);

  it('are created with the given settings and defaults', async () => {
    const { status, body } = await call('post', '/tenants').send({
      slug: 'globex',
      name: 'Globex',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String) as unknown,
      slug: 'globex',
      name: 'Globex',
      seat_capacity: null,
      default_role: 'member',
      room_provisioning: 'manual',
      default_country: null,
      scim: {
        put_without_members: 'clear',
        unknown_members: 'reject',
        post_existing: 'conflict',
        access_tokens: false,
        log_position: false,
        roles: false,
        profile: 'standard',
        strict_errors: false,
        max_removals_per_hour: null,
      },
      created_at: expect.any(String) as unknown,
    });
    expect((await call('get', '/tenants/globex')).body).toEqual(body);
  });

  it('are logged with the source admin, or cli for the CLI', async () => {
    await call('post', '/tenants').send({ slug: 'one', name: '1' });
    await call('post', '/tenants')
      .set('User-Agent', 'rollgate-cli/0.1.0')
      .send({ slug: 'two', name: '2' });
    expect(fake.submissions).toMatchObject([
      { source: 'admin', actor: { kind: 'operator', name: 'admin-token' } },
      { source: 'cli', actor: { kind: 'operator', name: 'admin-token' } },
    ]);
  });

  it('are listed in pages', async () => {
    await fake.addTenant();
    const { body } = await call('get', '/tenants?limit=1&offset=1');
    expect(body).toMatchObject({ tenants: [{ slug: 'globex' }], total: 2, limit: 1, offset: 1 });
  });

  it('change only the given settings', async () => {
    const { body } = await call('patch', '/tenants/acme').send({ seat_capacity: 7 });
    expect(body).toMatchObject({ slug: 'acme', name: fake.tenant.name, seat_capacity: 7 });
    const cleared = await call('patch', '/tenants/acme').send({
      seat_capacity: null,
      name: 'Acme 2',
      default_role: 'guest',
      room_provisioning: 'automatic',
    });
    expect(cleared.body).toMatchObject({
      seat_capacity: null,
      name: 'Acme 2',
      default_role: 'guest',
      room_provisioning: 'automatic',
    });
  });

  it('apply a change of settings to their keys immediately', async () => {
    let users = 0;
    const role = async () => {
      const { body } = await requestTo(fake.app)
        .post('/v1/acme/users')
        .set('Authorization', `Bearer ${fake.key}`)
        .send({ email: `u${(users += 1)}@example.com` });
      return (body as { role: string }).role;
    };
    expect(await role()).toBe('member');
    await call('patch', '/tenants/acme').send({ default_role: 'guest' });
    expect(await role()).toBe('guest');
  });

  it('support If-Match', async () => {
    const path = '/tenants/globex';
    const made = await call('post', '/tenants').send({ slug: 'globex', name: 'Globex' });
    expect(made.headers['etag']).toBe('W/"1"');
    const first = await call('patch', path).set('If-Match', 'W/"1"').send({ seat_capacity: 5 });
    expect([first.status, first.headers['etag']]).toEqual([200, 'W/"2"']);
    await call('patch', path).set('If-Match', 'W/"1"').send({ seat_capacity: 6 }).expect(412);
    await call('delete', path).set('If-Match', 'W/"1"').expect(412);
    await call('get', path).set('If-None-Match', 'W/"2"').expect(304);
    expect((await call('get', path)).body).toMatchObject({ seat_capacity: 5 });
    await call('delete', path).set('If-Match', 'W/"2"').expect(204);
  });

  it('are deleted with their keys', async () => {
    const me = () =>
      requestTo(fake.app).get('/v1/acme/me').set('Authorization', `Bearer ${fake.key}`);
    await me().expect(200);
    const { status, text } = await call('delete', '/tenants/acme');
    expect([status, text]).toEqual([204, '']);
    await me().expect(401);
    for (const answer of [
      await call('get', '/tenants/acme'),
      await call('delete', '/tenants/acme'),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { error: 'TENANT_NOT_FOUND' }]);
  });
});

describe('tenants', () => {
  beforeAll(open);

  it.each([
    [{ slug: 'ab', name: 'x' }, 'slug'],
    [{ slug: 'a'.repeat(64), name: 'x' }, 'slug'],
    [{ slug: '-abc', name: 'x' }, 'slug'],
    [{ slug: 'abc-', name: 'x' }, 'slug'],
    [{ slug: 'Acme', name: 'x' }, 'slug'],
    [{ slug: 'ac_me', name: 'x' }, 'slug'],
    [{ slug: 'acme\n', name: 'x' }, 'slug'],
    [{ slug: 'globex' }, 'name'],
    [{ slug: 'globex', name: 'x', seat_capacity: -1 }, 'seat_capacity'],
    [{ slug: 'globex', name: 'x', seat_capacity: 1.5 }, 'seat_capacity'],
    [{ slug: 'globex', name: 'x', default_role: 'r'.repeat(65) }, 'default_role'],
    [{ slug: 'globex', name: 'x', room_provisioning: 'maybe' }, 'room_provisioning'],
    [{ slug: 'globex', name: 'x', id: '1' }, 'id'],
  ])('are refused with %j because of %s', async (body, path) => {
    const answer = await call('post', '/tenants').send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path }] }]);
  });

  it.each([
    [{ scim: {} }, 'scim'],
    [{ scim: null }, 'scim'],
    [{ scim: { put_without_members: 'maybe' } }, 'scim.put_without_members'],
    [{ scim: { strict_errors: 'true' } }, 'scim.strict_errors'],
    [{ scim: { max_removals_per_hour: 0 } }, 'scim.max_removals_per_hour'],
    [{ scim: { strict_errors: true, strict: true } }, 'scim.strict'],
  ])('refuse the change %j because of %s', async (body, path) => {
    const answer = await call('patch', '/tenants/acme').send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path }] }]);
  });

  it.each([{}, { slug: 'other' }])('refuse the change %j', async (body) => {
    const { status } = await call('patch', '/tenants/acme').send(body);
    expect(status).toBe(400);
  });
});

describe('API keys', () => {
  beforeEach(open);

  const make = async (body: object = { description: 'Okta', scopes: ['scim:read', 'usage'] }) =>
    (await call('post', '/tenants/acme/api-keys').send(body).expect(201)).body as {
      key_id: string;
      key: string;
      prefix: string;
    };

  it('are shown once, when they are created', async () => {
    const made = await make();
    expect(made).toEqual({
      key_id: expect.any(String) as unknown,
      key: expect.stringMatching(/^rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/) as unknown,
      prefix: made.key.slice(0, 11),
      description: 'Okta',
      scopes: ['scim:read', 'usage'],
      created_at: expect.any(String) as unknown,
      expires_at: null,
    });
    const { text, body } = await call('get', '/tenants/acme/api-keys');
    expect(text).not.toContain(made.key.slice(12));
    expect(body).toMatchObject({ total: 2, limit: 100, offset: 0 });
    const { key: _key, ...shown } = made;
    expect((body as { api_keys: object[] }).api_keys[1]).toEqual({
      ...shown,
      last_used_at: null,
      is_unused: false,
    });
  });

  it('are stored as a hash only', async () => {
    const { key } = await make();
    const stored = await fake.collections.apiKeys.find({ tenant: fake.tenant.id }).toArray();
    expect(stored).toHaveLength(2);
    expect(JSON.stringify([stored, fake.submissions])).not.toContain(key.slice(12));
  });

  it('work immediately, and stop working immediately', async () => {
    const { key, key_id } = await make();
    const me = () => requestTo(fake.app).get('/v1/acme/me').set('Authorization', `Bearer ${key}`);
    await me().expect(200);
    await call('delete', `/tenants/acme/api-keys/${key_id}`).expect(204);
    await me().expect(401);
    const again = await call('delete', `/tenants/acme/api-keys/${key_id}`);
    expect([again.status, again.body]).toMatchObject([404, { error: 'API_KEY_NOT_FOUND' }]);
  });

  it('belong to the tenant in the path', async () => {
    await fake.addTenant();
    const { key_id } = await make();
    await call('delete', `/tenants/globex/api-keys/${key_id}`).expect(404);
    expect((await call('get', '/tenants/globex/api-keys')).body).toMatchObject({ total: 0 });
  });

  it('are listed with the time of their last use, once it is stored', async () => {
    await requestTo(fake.app).get('/v1/acme/me').set('Authorization', `Bearer ${fake.key}`);
    await fake.stop();
    const { body } = await call('get', '/tenants/acme/api-keys');
    expect((body as { api_keys: { last_used_at: string }[] }).api_keys[0]!.last_used_at).toMatch(
      /Z$/,
    );
  });

  it('require an existing tenant', async () => {
    const { status, body } = await call('get', '/tenants/unknown/api-keys');
    expect([status, body]).toMatchObject([404, { error: 'TENANT_NOT_FOUND' }]);
  });
});

describe('API keys', () => {
  beforeAll(open);

  it.each([
    [{ description: 'x' }, 'scopes'],
    [{ description: 'x', scopes: [] }, 'scopes'],
    [{ description: 'x', scopes: ['usage', 'usage'] }, 'scopes'],
    [{ description: 'x', scopes: ['scim:admin'] }, 'scopes[0]'],
    [{ scopes: ['usage'] }, 'description'],
    [{ description: 'a\u0009b', scopes: ['usage'] }, 'description'],
  ])('are refused with %j because of %s', async (body, path) => {
    const answer = await call('post', '/tenants/acme/api-keys').send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path }] }]);
  });
});

describe('the provisioning log', () => {
  beforeAll(open);

  const entry = (number: number, more: Partial<CommandLogEntry> = {}): CommandLogEntry => ({
    id: idOf<CommandId>(number),
    tenantId: fake.tenant.id,
    at: new Date(Date.UTC(2026, 0, number)),
    actor: 'operator:admin-token',
    source: 'admin',
    type: 'user.create',
    actorName: null,
    subject: { kind: 'user', id: 'user-1', name: 'ada@example.com' },
    affected: [],
    affectedCount: 0,
    changes: [{ path: 'display_name', before: 'Ada', after: 'Ada L.' }, { path: 'title' }],
    changeCount: 2,
    keys: [],
    deliveries: 3,
    outcome: 'applied',
    refusal: null,
    events: [4, 5],
    durationMs: 7,
    requestId: 'request-1',
    ...more,
  });

  it('returns each command', async () => {
    const entries = [
      entry(1),
      entry(2, {
        outcome: 'refused',
        refusal: refuse('EMAIL_TAKEN', 'Another user has it.'),
        events: null,
        actor: `api-key:${idOf(7)}`,
        actorName: 'Okta',
        subject: { kind: 'user', id: null, name: 'eve@example.com' },
        changes: [],
        changeCount: 0,
      }),
    ];
    const commands = { ...fake.store.commands, page: () => Promise.resolve({ entries }) };
    fake = fake.with({ commands });
    const { body } = await call('get', '/tenants/acme/commands');
    expect(body).toEqual({
      commands: [
        {
          id: idOf(1),
          at: '2026-01-01T00:00:00.000Z',
          actor: { kind: 'operator', id: null, name: 'admin-token' },
          source: 'admin',
          type: 'user.create',
          title: 'Created user',
          subject: { kind: 'user', id: 'user-1', name: 'ada@example.com' },
          affected: [],
          affected_count: 0,
          changes: [{ path: 'display_name', before: 'Ada', after: 'Ada L.' }, { path: 'title' }],
          change_count: 2,
          outcome: 'applied',
          error: null,
          message: null,
          events: { first_seq: 4, last_seq: 5 },
          deliveries: 3,
          duration_ms: 7,
          request_id: 'request-1',
        },
        expect.objectContaining({
          outcome: 'refused',
          actor: { kind: 'api-key', id: idOf(7), name: 'Okta' },
          subject: { kind: 'user', id: null, name: 'eve@example.com' },
          error: 'EMAIL_TAKEN',
          message: 'Another user has it.',
          events: null,
        }),
      ],
      next: null,
    });
  });

  it.each([
    ...['type=user.fly', 'outcome=lost', 'source=fax', 'since=yesterday', 'since=2026-01-02'],
    ...['offset=1', 'cursor=', 'cursor=nonsense', 'cursor=MTIzIGFiYw'],
  ])('refuses the filter %s', async (query) => {
    expect((await call('get', `/tenants/acme/commands?${query}`)).status).toBe(400);
  });
});

describe('plugins', () => {
  beforeAll(open);

  it('are listed with state, health, lag and last failure', async () => {
    const bridge = {
      ...{ name: 'bridge', use: null, title: null },
      ...{ state: 'disabled' as const, health: null, lag: null },
    };
    const health = { ok: false, message: 'The receiver does not answer.' };
    const audit = { name: 'audit', use: './audit.js', title: 'Audit', version: '1.2.0' };
    fake = fake.with({
      plugins: () =>
        Promise.resolve([
          {
            ...{ ...audit, state: 'degraded', health },
            lag: { pending: 7, overdueSeconds: 1.5 },
            lastFailure: { at: new Date('2026-11-21T09:00:00Z'), reason: 'status 500' },
          },
          { ...bridge, lastFailure: null },
        ]),
    });
    expect((await call('get', '/plugins')).body).toEqual({
      plugins: [
        {
          ...{ ...audit, state: 'degraded', health },
          lag: { pending: 7, overdue_seconds: 1.5 },
          last_failure: { at: '2026-11-21T09:00:00.000Z', reason: 'status 500' },
        },
        { ...bridge, last_failure: null },
      ],
    });
  });
});

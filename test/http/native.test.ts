import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../src/domain/kernel/ids.js';
import { SCOPES } from '../../src/domain/scopes.js';
import type { UserReader } from '../../src/ports/users.js';
import { newId } from '../../src/pipeline/submit.js';
import { StoreUnavailable } from '../../src/pipeline/commit-store.js';
import { requestTo } from '../support/ask.js';
import { type TestApp, openEdge } from '../support/edge.js';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let fake: TestApp;
const open = async () => {
  fake = await openEdge();
};

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string) =>
  requestTo(fake.app)[method](`/v1/acme${path}`).set('Authorization', `Bearer ${fake.key}`);

/** The only user. */
const stored = () => fake.collections.users.findOne({ tenant: fake.tenant.id });

/** A reader of users whose database fails. */
const failing = (error: Error): UserReader => {
  const fail = () => Promise.reject(error);
  return { find: fail, findWithGroups: fail, page: fail };
};

interface UserBody {
  readonly id: string;
  readonly [field: string]: unknown;
}

const provision = async (body: object = { email: 'ada@example.com' }): Promise<UserBody> =>
  (await call('post', '/users').send(body).expect(201)).body as UserBody;

describe('GET /me', () => {
  beforeAll(open);

  it("returns the key's metadata, not the key", async () => {
    const { body } = await call('get', '/me').expect(200);
    expect(body).toEqual({
      key_id: fake.keyId,
      tenant_slug: 'acme',
      tenant_id: fake.tenant.id,
      scopes: SCOPES,
      description: 'test',
    });
  });
});

describe('GET /usage', () => {
  beforeEach(open);

  it.each([
    [5, [5, 2, 3]],
    [1, [1, 2, 0]],
    [null, [null, 2, null]],
  ])(
    'with %o seats for two users is %o',
    async (seatCapacity, [capacity, provisioned, available]) => {
      await provision({ email: 'ada@example.com' });
      await provision({ email: 'bob@example.com' });
      await fake.run({ type: 'tenant.update', seatCapacity });
      const { body } = await call('get', '/usage');
      expect(body).toEqual({
        seat_capacity: capacity,
        seats_provisioned: provisioned,
        seats_available: available,
      });
    },
  );
});

describe('POST /users', () => {
  beforeEach(open);

  it('returns 201 with the user and its version', async () => {
    const answer = await call('post', '/users').send({
      email: 'Ada@Example.com',
      display_name: 'Ada Lovelace',
      external_id: 'HR-1815',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.etag).toBe('W/"1"');
    expect(answer.body).toEqual({
      id: expect.stringMatching(UUID) as unknown,
      email: 'Ada@Example.com',
      display_name: 'Ada Lovelace',
      active: true,
      created_at: expect.stringMatching(INSTANT) as unknown,
      user_name: 'Ada@Example.com',
      external_id: 'HR-1815',
      role: 'member',
      updated_at: expect.stringMatching(INSTANT) as unknown,
    });
  });

  it('creates a SCIM profile with user name and primary work e-mail', async () => {
    await provision();
    expect((await stored())?.profile).toEqual({
      userName: 'ada@example.com',
      active: true,
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
    });
  });

  it('submits the command with the key, the source and the request id', async () => {
    await call('post', '/users').set('X-Request-Id', 'my-request-1').send({ email: 'a@b.example' });
    expect(fake.submissions).toMatchObject([
      {
        tenantId: fake.tenant.id,
        actor: { kind: 'api-key', id: fake.keyId },
        source: 'rest',
        requestId: 'my-request-1',
        command: { type: 'user.create' },
      },
    ]);
  });
});

describe('POST /users', () => {
  beforeAll(open);

  it.each([
    [{}, 'email', 'is required'],
    [{ email: null }, 'email', 'must be a string'],
    [{ email: 'no address' }, 'email', 'must be an e-mail address'],
    [{ email: 'a@b@c' }, 'email', 'must be an e-mail address'],
    [{ email: 'x'.repeat(251) + '@b.c' }, 'email', 'must have at most 254 characters'],
    [
      { email: 'a\u202e@b.example' },
      'email',
      'must not contain the invisible character U+202E (character 2)',
    ],
    [{ email: 'a@b.c', display_name: '' }, 'display_name', 'must not be empty'],
    [
      { email: 'a@b.c', display_name: 'a\nb' },
      'display_name',
      'must not contain control characters',
    ],
    [
      { email: 'a@b.c', display_name: 'x'.repeat(257) },
      'display_name',
      'must have at most 256 characters',
    ],
    [{ email: 'a@b.c', external_id: 7 }, 'external_id', 'must be a string'],
    [{ email: 'a@b.c', active: 'true' }, 'active', 'must be true or false'],
    [{ email: 'a@b.c', role: 'admin' }, 'role', 'is not a known field'],
  ])('refuses %j: %s %s', async (body, path, message) => {
    const answer = await call('post', '/users').send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'INVALID_REQUEST', details: [{ path, message }] });
    expect((answer.body as { message: string }).message).toContain(`${path} ${message}`);
  });

  it('lists all invalid fields', async () => {
    const { body } = await call('post', '/users').send({ email: 'x', active: 1, a: 1, b: 1 });
    const { details, message } = body as { details: { path: string }[]; message: string };
    expect(details.map(({ path }) => path).sort()).toEqual(['a', 'active', 'b', 'email']);
    expect(message).toContain('and 3 more');
  });
});

describe('GET /users', () => {
  beforeAll(async () => {
    await open();
    await provision({ email: 'ada@example.com', display_name: 'Ada', external_id: 'HR-1' });
    await provision({ email: 'bob@example.com', display_name: 'Bob', active: false });
    await provision({ email: 'cyd@example.com', display_name: 'Adam', external_id: 'HR-3' });
  });

  it.each([
    ['', ['ada', 'bob', 'cyd'], 3, 100, 0],
    ['?limit=2', ['ada', 'bob'], 3, 2, 0],
    ['?limit=2&offset=2', ['cyd'], 3, 2, 2],
    ['?offset=9', [], 3, 100, 9],
    ['?email=ADA@example.com', ['ada'], 1, 100, 0],
    ['?external_id=HR-3', ['cyd'], 1, 100, 0],
    ['?active=false', ['bob'], 1, 100, 0],
    ['?q=ada', ['ada', 'cyd'], 2, 100, 0],
    ['?q=ada&active=true&external_id=HR-3', ['cyd'], 1, 100, 0],
    ['?role=member', ['ada', 'bob', 'cyd'], 3, 100, 0],
    ['?role=admin', [], 0, 100, 0],
  ] as const)('%s returns %j', async (query, names, total, limit, offset) => {
    const { body } = await call('get', `/users${query}`).expect(200);
    const { users, ...rest } = body as { users: { email: string }[] };
    expect(users.map(({ email }) => email.split('@')[0])).toEqual(names);
    expect(rest).toEqual({ total, limit, offset });
  });

  it('returns no user of another tenant, like the other user routes', async () => {
    const other = await fake.addTenant({ slug: 'globex' });
    const stranger = { id: newId<UserId>() };
    const profile = { userName: 'user9@example.com', active: true };
    await fake.run({ type: 'user.create', userId: stranger.id, profile }, other.id);
    expect((await call('get', '/users?email=user9@example.com')).body).toMatchObject({ total: 0 });
    for (const answer of [
      await call('get', `/users/${stranger.id}`),
      await call('patch', `/users/${stranger.id}`).send({ active: false }),
      await call('delete', `/users/${stranger.id}`),
    ])
      expect([answer.status, answer.body]).toMatchObject([
        404,
        { error: 'USER_NOT_FOUND', message: 'No user has this id.' },
      ]);
  });
});

describe('PATCH /users/{id}', () => {
  beforeEach(open);

  it('changes display name and active status, and returns the user', async () => {
    const { id } = await provision();
    const answer = await call('patch', `/users/${id}`).send({ display_name: 'A.', active: false });
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toBe('W/"2"');
    expect(answer.body).toMatchObject({ id, display_name: 'A.', active: false });
  });

  it('changes nothing if the values are the same', async () => {
    const { id } = await provision();
    const answer = await call('patch', `/users/${id}`).send({ active: true });
    expect([answer.status, answer.headers.etag]).toEqual([200, 'W/"1"']);
  });

  it.each([
    [{}, '', 'must contain at least one of display_name, active and custom'],
    [{ display_name: null }, 'display_name', 'must be a string'],
    [{ active: true, email: 'new@example.com' }, 'email', 'is not a known field'],
  ])('refuses %j', async (body, path, message) => {
    const { id } = await provision();
    const answer = await call('patch', `/users/${id}`).send(body);
    expect(answer.body).toMatchObject({ error: 'INVALID_REQUEST', details: [{ path, message }] });
  });
});

describe('DELETE /users/{id}', () => {
  beforeEach(open);

  it('deactivates the user, keeps the record, and does nothing the second time', async () => {
    const { id } = await provision();
    const first = await call('delete', `/users/${id}`);
    expect([first.status, first.text]).toEqual([204, '']);
    await call('delete', `/users/${id}`).expect(204);
    expect((await call('get', `/users/${id}`)).body).toMatchObject({ id, active: false });
    expect((await stored())?.v).toBe(2);
  });
});

describe('the version of a user', () => {
  beforeEach(open);

  it('is returned by GET, with 304 if the client has it', async () => {
    const { id } = await provision();
    expect((await call('get', `/users/${id}`)).headers.etag).toBe('W/"1"');
    const answer = await call('get', `/users/${id}`).set('If-None-Match', 'W/"1"');
    expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', 'W/"1"']);
  });

  it('is required by If-Match, and excluded by If-None-Match', async () => {
    const { id } = await provision();
    const path = `/users/${id}`;
    const change = (header: string, tag: string) => ({
      get: () => call('get', path).set(header, tag),
      patch: () => call('patch', path).set(header, tag).send({ display_name: 'B' }),
      delete: () => call('delete', path).set(header, tag),
    });
    const { get, ...writes } = change('If-Match', 'W/"2"');
    for (const send of [get, ...Object.values(writes), change('If-None-Match', '*').patch]) {
      const { status, body } = await send();
      expect([status, body]).toMatchObject([412, { error: 'PRECONDITION_FAILED' }]);
    }
    expect((await stored())?.v).toBe(1);
    expect((await change('If-Match', 'W/"1"').get()).status).toBe(200);
    expect((await change('If-Match', 'W/"1"').patch()).status).toBe(200);
    expect((await change('If-None-Match', 'W/"1"').patch()).status).toBe(200);
    expect((await change('If-Match', 'W/"2"').delete()).status).toBe(204);
  });
});

describe('every native response', () => {
  beforeAll(open);

  it("counts against the key's rate limit, and has its headers", async () => {
    const { headers } = await call('get', '/nope');
    expect(headers['ratelimit-limit']).toBe('10000');
    expect(Number(headers['ratelimit-remaining'])).toBeLessThan(10_000);
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(0);
  });

  it('is JSON that is not cached, with security headers', async () => {
    const { headers } = await call('get', '/me');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'strict-transport-security': 'max-age=31536000',
    });
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('to HEAD is the one to GET without the body', async () => {
    const get = await call('get', '/me');
    const head = await requestTo(fake.app)
      .head('/v1/acme/me')
      .set('Authorization', `Bearer ${fake.key}`);
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it.each([
    ['put', '/users', 'GET, HEAD, POST'],
    ['post', '/me', 'GET, HEAD'],
    ['options', '/users', 'GET, HEAD, POST'],
    ['put', '/users/1', 'GET, HEAD, PATCH, DELETE'],
    ['trace', '/usage', 'GET, HEAD'],
    ['get', '/oauth2/token', 'POST'],
    ['delete', '/oauth2/token', 'POST'],
  ] as const)('to %s %s is 405 with Allow', async (method, path, allow) => {
    const sent = requestTo(fake.app)[method](`/v1/acme${path}`);
    const { status, headers, body } = await sent.set('Authorization', `Bearer ${fake.key}`);
    expect([status, headers['allow'], (body as { error: string }).error]).toEqual([
      405,
      allow,
      'METHOD_NOT_ALLOWED',
    ]);
  });

  it.each([
    ['+49151=1', 'it contains an unknown parameter'],
    ['+49151=1&+49151=1', 'it contains a parameter that appears more than once'],
    ['+49151=%00', 'it contains a parameter that contains a control character'],
    ['offset2=1', 'offset2 is not a known parameter'],
  ])('to the query %s repeats no name that may be personal data', async (query, message) => {
    const { status, body } = await call('get', `/users?${query.replaceAll('+', '%2B')}`);
    expect([status, body]).toMatchObject([400, { message: `The query is not valid: ${message}.` }]);
  });
});

describe('a response', () => {
  beforeEach(open);

  it('is 503 with Retry-After if the database does not respond', async () => {
    fake = fake.with({ users: failing(new StoreUnavailable('nothing')) });
    const { status, headers, body } = await call('get', '/users');
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect(body).toMatchObject({ error: 'UNAVAILABLE' });
  });

  it('is 500 without the cause of an internal error, which is logged', async () => {
    const err = new Error('secret of the database');
    fake = fake.with({ users: failing(err) });
    const { status, text } = await call('get', '/users');
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
    const { request_id } = JSON.parse(text) as { request_id: string };
    expect(fake.lines).toContainEqual(expect.objectContaining({ level: 'error', err, request_id }));
  });

  it('is 401 after the tenant was deleted, even if its key is still cached', async () => {
    await call('get', '/me');
    await fake.run({ type: 'tenant.delete' });
    const answers = [
      await call('get', '/usage'),
      await call('post', '/users').send({ email: 'a@b.example' }),
    ];
    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([401, { error: 'UNAUTHENTICATED' }]);
  });
});

import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  type components,
  createRollgateClient,
  type RollgateClient,
  RollgateError,
} from '../../src/client/index.js';
import { readServerSentEvents } from '../../src/client/transport.js';
import { type FakeGateway, openFakeGateway } from '../cli/fake-gateway.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';

const gateway = TestGateway.use();
let tenant: TestTenant;
let client: RollgateClient;
let path: { readonly tenantSlug: string };

beforeAll(async () => {
  const { url } = await gateway.open();
  tenant = await gateway.tenant();
  client = createRollgateClient({ baseUrl: url, token: tenant.key });
  path = { tenantSlug: tenant.slug };
});

const errorOf = async (call: Promise<unknown>): Promise<RollgateError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RollgateError) return error;
  throw new Error(`Expected a RollgateError, got ${String(error)}`);
};

describe('a call', () => {
  it('sends and returns what the OpenAPI document describes', async () => {
    // When a user is created, changed and read
    const created = await client.post('/v1/{tenantSlug}/users', {
      path,
      body: { email: 'ada@example.com', display_name: 'Ada' },
    });
    const item = { ...path, id: created.id };
    const { etag, status } = await client.request('get', '/v1/{tenantSlug}/users/{id}', {
      path: item,
    });
    const changed = await client.patch('/v1/{tenantSlug}/users/{id}', {
      path: item,
      ...(etag !== undefined && { ifMatch: etag }),
      body: { display_name: 'Ada King' },
    });
    const deleted = await client.request('delete', '/v1/{tenantSlug}/users/{id}', { path: item });

    // Then each result has its type
    expectTypeOf(created).toEqualTypeOf<components['schemas']['User']>();
    expectTypeOf(deleted.data).toEqualTypeOf<undefined>();
    expect(status).toBe(200);
    expect(changed.display_name).toBe('Ada King');
    expect(deleted).toMatchObject({ status: 204, data: undefined });
  });

  it('previews a write', async () => {
    const preview = await client.preview('post', '/v1/{tenantSlug}/users', {
      path,
      body: { email: 'nobody@example.com' },
    });
    expect(preview.dry_run).toBe(true);
    const { users } = await client.get('/v1/{tenantSlug}/users', {
      path,
      query: { email: 'nobody@example.com' },
    });
    expect(users).toEqual([]);
  });

  it('is not applied twice if it is repeated with one idempotency key', async () => {
    const create = () =>
      client.post('/v1/{tenantSlug}/users', {
        path,
        body: { email: 'grace@example.com' },
        idempotencyKey: 'badge-17',
      });
    expect((await create()).id).toBe((await create()).id);
  });

  it('does not compile with another path, parameter or body', () => {
    const calls = (c: RollgateClient) => [
      // @ts-expect-error No such path.
      c.get('/v1/{tenantSlug}/people', { path }),
      // @ts-expect-error The path parameter is missing.
      c.get('/v1/{tenantSlug}/users', {}),
      // @ts-expect-error Not a parameter of this list.
      c.get('/v1/{tenantSlug}/users', { path, query: { colour: 'red' } }),
      // @ts-expect-error The body is required.
      c.post('/v1/{tenantSlug}/users', { path }),
      // @ts-expect-error This path cannot be deleted.
      c.delete('/v1/{tenantSlug}/users', { path }),
    ];
    expect(calls).toBeTypeOf('function');
  });
});

describe('a refusal', () => {
  it('is a RollgateError with code, message, details and request id', async () => {
    const error = await errorOf(
      client.post('/v1/{tenantSlug}/users', { path, body: { email: 'no address' } }),
    );
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      status: 400,
      details: [{ path: 'email' }],
    });
    expect(error.requestId).toMatch(/^\S{8,}$/);
    expect(error.message).not.toBe('');
  });

  it('of the network has the code UNREACHABLE and its reason', async () => {
    const nowhere = createRollgateClient({ baseUrl: 'http://127.0.0.1:9', token: 'x' });
    const error = await errorOf(nowhere.get('/v1/{tenantSlug}/me', { path }));
    expect(error).toMatchObject({ code: 'UNREACHABLE', status: 0 });
    expect(error.message).toContain('127.0.0.1:9');
  });
});

describe('retries', () => {
  const TENANTS = '/admin/v1/tenants';
  const busy = (status: number, retryAfter = '0') => ({
    status,
    headers: { 'retry-after': retryAfter, 'x-request-id': 'request-0001' },
    body: { error: 'UNAVAILABLE', message: 'Busy.', request_id: 'request-0001' },
  });

  const withFake = async (work: (fake: FakeGateway, c: RollgateClient) => Promise<void>) => {
    const fake = await openFakeGateway();
    try {
      await work(fake, createRollgateClient({ baseUrl: `${fake.url}/`, token: fake.token }));
    } finally {
      await fake.close();
    }
  };

  it.each([429, 503])('repeat a read after %i, when Retry-After has passed', (status) =>
    withFake(async (fake, c) => {
      fake.respondOnce(busy(status));
      fake.respondOnce(busy(status));
      await expect(c.get(TENANTS)).resolves.toMatchObject({ total: 0 });
      expect(fake.requests).toHaveLength(3);
    }),
  );

  it('end after three repetitions', () =>
    withFake(async (fake, c) => {
      for (let each = 0; each < 4; each += 1) fake.respondOnce(busy(429));
      expect(await errorOf(c.get(TENANTS))).toMatchObject({ status: 429, retryAfterSeconds: 0 });
      expect(fake.requests).toHaveLength(4);
    }));

  it('do not wait longer than a minute', () =>
    withFake(async (fake, c) => {
      fake.respondOnce(busy(503, '61'));
      expect(await errorOf(c.get(TENANTS))).toMatchObject({ retryAfterSeconds: 61 });
      expect(fake.requests).toHaveLength(1);
    }));

  it('never repeat a POST without an idempotency key after 503', () =>
    withFake(async (fake, c) => {
      fake.respondOnce(busy(503));
      const call = c.post(TENANTS, { body: { slug: 'acme', name: 'Acme' } });
      expect(await errorOf(call)).toMatchObject({ status: 503 });
      expect(fake.requests).toHaveLength(1);
    }));

  it('repeat a POST of the REST API with the same key', () =>
    withFake(async (fake, c) => {
      fake.respondOnce(busy(503));
      fake.respondOnce({ status: 201, body: { id: '1' } });
      await c.post('/v1/{tenantSlug}/users', { path, body: { email: 'ada@example.com' } });
      const keys = fake.requests.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).toMatch(/^\S{36}$/);
      expect(keys[1]).toBe(keys[0]);
    }));
});

describe('list', () => {
  it('reads all pages of each kind', async () => {
    // Given a tenant with five users
    const other = await gateway.tenant();
    const { url, adminToken } = await gateway.open();
    const own = { tenantSlug: other.slug };
    const integrator = createRollgateClient({ baseUrl: url, token: other.key });
    const operator = createRollgateClient({ baseUrl: url, token: adminToken });
    for (let each = 0; each < 5; each += 1)
      await integrator.post('/v1/{tenantSlug}/users', {
        path: own,
        body: { email: `user-${each}@example.com` },
      });

    // Then lists with offset, cursor, position and start index are complete
    const small = { path: own, query: { limit: 2 } };
    const users = await arrayOf(integrator.list('/v1/{tenantSlug}/users', small));
    expect(users.map(({ email }) => email)).toHaveLength(5);
    const events = await arrayOf(integrator.list('/v1/{tenantSlug}/events', small));
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    const event = ['user.created', 'user.updated'] as const;
    const named = { path: own, query: { event } };
    expect(await arrayOf(integrator.list('/v1/{tenantSlug}/events', named))).toEqual(events);
    const commands = await arrayOf(
      operator.list('/admin/v1/tenants/{slug}/commands', {
        path: { slug: other.slug },
        query: { limit: 2, type: 'user.create' },
      }),
    );
    expect(new Set(commands.map(({ id }) => id)).size).toBe(5);
    const scim = await arrayOf(
      integrator.list('/v1/{tenantSlug}/scim/v2/Users', { path: own, query: { count: 2 } }),
    );
    expect(scim.map(({ userName }) => userName)).toHaveLength(5);
  });
});

const arrayOf = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('server-sent events', () => {
  const TEXT =
    ': comment\r\nid: 7\r\nevent: command\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: heartbeat\n\n' +
    'data: "ü"\r\rdata: unfinished';

  it.each([1, 2, 3, 7, 1_000])('are read from chunks of %i bytes', async (size) => {
    const bytes = Buffer.from(TEXT);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) {
        await Promise.resolve();
        yield bytes.subarray(at, at + size);
      }
    }
    expect(await arrayOf(readServerSentEvents(chunks()))).toEqual([
      { id: '7', event: 'command', data: '{"a":\n1}' },
      { id: '7', event: 'message', data: '"ü"' },
    ]);
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Scope, SCOPES } from '../../src/domain/scopes.js';
import type { Edge } from '../../src/http/app.js';
import { generateApiKey } from '../../src/http/access/credentials.js';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';
import {
  pathOf,
  ALL_ROUTES,
  sendBody,
  NATIVE_ROUTES,
  UNKNOWN_ID,
  OPERATOR_ROUTES,
  titleOf,
  verbOf,
} from '../support/route-requests.js';

// The matrix of all routes has more failures than the limit per address.
const fake = await openEdge({ failedAuthenticationsPerMinute: 10_000 });
const other = await fake.addTenant({ slug: 'globex' });
const { key: othersKey } = await fake.addKey(other);

const keys = new Map<string, Promise<string>>();

/** A key of acme with these scopes; tests share it. */
const keyWith = (scopes: readonly Scope[]): Promise<string> => {
  const name = scopes.join();
  const known = keys.get(name) ?? fake.addKey(fake.tenant, scopes).then(({ key }) => key);
  keys.set(name, known);
  return known;
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const withoutId = (body: unknown): object => ({ ...(body as object), request_id: undefined });

const REQUIRED = {
  error: 'UNAUTHENTICATED',
  message: 'Send a valid API key of this tenant: Authorization: Bearer <API_KEY>.',
};

const INVALID = {
  error: 'UNAUTHENTICATED',
  message:
    'This API key is not valid. Send a valid key of this tenant: Authorization: Bearer <API_KEY>.',
};

const wrongChecksum = fake.key.slice(0, -1) + (fake.key.endsWith('0') ? '1' : '0');

type Credentials = readonly (readonly [string, string | undefined])[];

/** What each route refuses. */
const BAD_CREDENTIALS: Credentials = [
  ['no header', undefined],
  ['an unknown well-formed key', `Bearer ${generateApiKey().key}`],
  ['the key of another tenant', `Bearer ${othersKey}`],
  ['the admin token', `Bearer ${ADMIN_TOKEN}`],
];

/** The header is read in one place: one route gets these. */
const BAD_HEADERS: Credentials = [
  ['an empty header', ''],
  ['another scheme', `Basic ${Buffer.from(`a:${fake.key}`).toString('base64')}`],
  ['a bearer without token', 'Bearer'],
  ['two tokens', `Bearer ${fake.key} ${fake.key}`],
  ['a malformed key', 'Bearer secret'],
  ['a wrong checksum', `Bearer ${wrongChecksum}`],
  ['a token of 600 characters', `Bearer ${'a'.repeat(600)}`],
];

describe.each(NATIVE_ROUTES.map((route) => [titleOf(route), route] as const))(
  '%s',
  (_title, route) => {
    const send = (slug: string, authorization: string | undefined) => {
      const sent = requestTo(fake.app)[verbOf(route)](pathOf(route, slug));
      return authorization === undefined ? sent : sent.set('Authorization', authorization);
    };

    const bad = [...BAD_CREDENTIALS, ...(route === NATIVE_ROUTES[0] ? BAD_HEADERS : [])];
    it.each(bad)('refuses %s with 401', async (_kind, authorization) => {
      const { status, body, headers } = await send('acme', authorization);
      expect(status).toBe(401);
      const isToken = /^bearer \S/i.test(authorization ?? '');
      expect(withoutId(body)).toEqual(isToken ? INVALID : REQUIRED);
      expect(headers['www-authenticate']).toBe(isToken ? 'Bearer error="invalid_token"' : 'Bearer');
      expect(headers['ratelimit-limit']).toBeUndefined();
    });

    it('refuses a valid key for an unknown tenant with the same 401', async () => {
      const { status, body } = await send('no-such-tenant', `Bearer ${fake.key}`);
      expect(status).toBe(401);
      expect(withoutId(body)).toEqual(INVALID);
    });

    const { scope } = route;
    if (scope === 'any key' || scope === 'operator' || scope === 'public') {
      it('accepts any valid key', async () => {
        const key = await keyWith([]);
        // A resource of another tenant is 404.
        const { status, body } = await send('acme', `Bearer ${key}`);
        if (status !== 200) expect([status, body]).toMatchObject([404, { error: 'JOB_NOT_FOUND' }]);
      });
      return;
    }

    it('refuses a key with all scopes except the required one, and names it', async () => {
      const key = await keyWith(SCOPES.filter((one) => one !== scope));
      // The body is hostile: it must not be read.
      const sent = send('acme', `Bearer ${key}`).set('Content-Type', 'application/json');
      const { status, body, headers } = await (route.body ? sent.send('{"a":1,"a":2}') : sent);
      expect(status).toBe(403);
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      expect(headers['www-authenticate']).toBe(challenge);
      expect(body).toMatchObject({ error: 'INSUFFICIENT_SCOPE' });
      expect((body as { message: string }).message).toContain(scope);
    });

    it('accepts a key with only this scope', async () => {
      const key = await keyWith([scope]);
      const { status, body } = await sendBody(send('acme', `Bearer ${key}`), route);
      // The ids of its path do not exist.
      if (route.path.includes('{')) {
        expect(status).toBe(404);
        expect((body as { error: string }).error).toMatch(/_NOT_FOUND$/);
      } else expect([status, body]).toMatchObject([expect.toSatisfy(isSuccess), {}]);
    });
  },
);

const PROTECTED = OPERATOR_ROUTES.filter(({ scope }) => scope !== 'public');

describe.each(PROTECTED.map((route) => [titleOf(route), route] as const))(
  '%s (operators)',
  (_title, route) => {
    it.each([
      ['no header', undefined],
      ['a wrong token', 'Bearer wrong'],
      ['a prefix of the right token', `Bearer ${ADMIN_TOKEN.slice(0, -1)}`],
      ['a key of a tenant', `Bearer ${fake.key}`],
    ])('refuses %s with 401', async (_kind, authorization) => {
      const sent = requestTo(fake.app)[verbOf(route)](pathOf(route));
      const { status, body, headers } = await (authorization
        ? sent.set('Authorization', authorization)
        : sent);
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe(
        authorization ? 'Bearer error="invalid_token"' : 'Bearer',
      );
      expect(body).toMatchObject({
        error: 'UNAUTHENTICATED',
        message: authorization
          ? 'This admin token is not valid. Send the current one: Authorization: Bearer <ADMIN_TOKEN>.'
          : 'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.',
      });
    });
  },
);

/** Routes with an id in the path. */
const withId = ALL_ROUTES.filter(({ path }) => /\{(?:id|\w+Id)\}/.test(path));

describe('every path', () => {
  it.each(withId.map((route) => [titleOf(route), route] as const))(
    '%s returns the same 404 for a malformed id and an unknown one',
    async (_title, route) => {
      const credentials = `Bearer ${route.api === 'native' ? fake.key : ADMIN_TOKEN}`;
      const tryId = async (id: string) => {
        const address = pathOf(route).replaceAll(UNKNOWN_ID, id);
        const sent = requestTo(fake.app)[verbOf(route)](address).set('Authorization', credentials);
        const { status, body } = await sendBody(sent, route);
        return { status, body: withoutId(body) };
      };
      const unknown = await tryId(UNKNOWN_ID);
      expect(unknown.status).toBe(404);
      for (const id of ['nonsense', '%F0%9F%9A%80', '$ne', '__proto__', UNKNOWN_ID.toUpperCase()])
        expect(await tryId(id)).toEqual(unknown);
    },
  );

  it('requires credentials before it reveals which paths and methods exist', async () => {
    for (const [method, path] of [
      ['get', '/v1/acme/nope'],
      ['put', '/v1/acme/users'],
      ['get', '/v1/acme'],
      ['get', '/admin/v1/nope'],
      ['put', '/admin/v1/tenants'],
    ] as const)
      expect((await requestTo(fake.app)[method](path)).status).toBe(401);
  });

  it('returns 404 for an unknown path, with and without a key', async () => {
    const inside = await requestTo(fake.app)
      .get('/v1/acme/nope')
      .set('Authorization', `Bearer ${fake.key}`);
    expect([inside.status, inside.body]).toMatchObject([404, { error: 'NOT_FOUND' }]);
    for (const path of ['/', '/nope', '/v2/acme/users', '/V1/acme/users', '/.env'])
      expect((await requestTo(fake.app).get(path)).body).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('is case-sensitive: /Rooms is not the native /rooms', async () => {
    const answer = await requestTo(fake.app)
      .get('/v1/acme/Rooms')
      .set('Authorization', `Bearer ${fake.key}`);
    expect(answer.status).toBe(404);
  });
});

describe('failed authentications', () => {
  it('do not query the database if the format or checksum of the key is wrong', async () => {
    const looked: string[] = [];
    const { apiKeys } = fake.store;
    const { app } = fake.with({
      apiKeys: {
        ...apiKeys,
        findByHash: (hash) => {
          looked.push(hash);
          return apiKeys.findByHash(hash);
        },
      },
    });
    const me = (token: string) =>
      requestTo(app).get('/v1/acme/me').set('Authorization', `Bearer ${token}`);
    for (const token of [wrongChecksum, 'secret', ADMIN_TOKEN]) await me(token).expect(401);
    expect(looked).toEqual([]);
    await me(fake.key).expect(200);
    expect(looked).toHaveLength(1);
  });

  it('are limited to 300 per minute and address, and lock out no valid key', async () => {
    // All in one minute, regardless of the machine's speed.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { app, key } = fake.with({ failedAuthenticationsPerMinute: 300 });
    const fail = () => requestTo(app).get('/v1/acme/me').set('X-Forwarded-For', randomAddress());
    for (let failed = 0; failed < 300; failed += 1) expect((await fail()).status).toBe(401);
    const { status, body, headers } = await fail();
    expect([status, body]).toMatchObject([429, { error: 'RATE_LIMITED' }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const valid = await requestTo(app).get('/v1/acme/me').set('Authorization', `Bearer ${key}`);
    expect(valid.status).toBe(200);
    const operator = await requestTo(app)
      .get('/admin/v1/tenants')
      .set('Authorization', 'Bearer no');
    expect(operator.status).toBe(429);
  });

  describe('behind a trusted proxy', () => {
    const behind = (trustedProxies: readonly string[]) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      const publicUrl = () => 'http://127.0.0.1:8080';
      return fake.with({ trustedProxies, publicUrl, failedAuthenticationsPerMinute: 1 });
    };
    const LOOPBACK = ['127.0.0.0/8', '::1'];
    const statuses = async ({ app }: Pick<Edge, 'app'>, forwarded: readonly string[]) => {
      const found: number[] = [];
      for (const address of forwarded)
        found.push(
          (await requestTo(app).get('/v1/acme/me').set('X-Forwarded-For', address)).status,
        );
      return found;
    };

    it('are counted by the address of the client', async () => {
      const edge = behind(LOOPBACK);
      expect(await statuses(edge, ['203.0.113.1', '203.0.113.2', '203.0.113.1'])).toEqual([
        401, 401, 429,
      ]);
    });

    it('are counted once for keys, the admin token and sign-ins', async () => {
      const { app } = behind(LOOPBACK);
      const from = (address: string) => ({
        key: () => requestTo(app).get('/v1/acme/me').set('X-Forwarded-For', address),
        signIn: () =>
          requestTo(app)
            .post('/admin/v1/session')
            .set('X-Forwarded-For', address)
            .send({ admin_token: 'guess' }),
      });
      expect((await from('203.0.113.1').signIn()).status).toBe(401);
      expect((await from('203.0.113.1').key()).status).toBe(429);
      expect((await from('203.0.113.2').signIn()).status).toBe(401);
    });

    it('are counted together whatever clients claim', async () => {
      const claimed = ['198.51.100.1, 203.0.113.1', '198.51.100.2, 203.0.113.1'];
      expect(await statuses(behind(LOOPBACK), claimed)).toEqual([401, 429]);
      expect(await statuses(behind([]), ['203.0.113.1', '203.0.113.2'])).toEqual([401, 429]);
      expect(await statuses(behind(['10.0.0.0/8']), claimed)).toEqual([401, 429]);
    });
  });
});

const randomAddress = (): string => `203.0.113.${Math.floor(Math.random() * 256)}`;

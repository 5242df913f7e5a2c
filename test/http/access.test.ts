import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SCOPES } from '../../src/domain/scopes.js';
import { makeApiKey } from '../../src/http/keys/api-key-format.js';
import { ask } from '../support/ask.js';
import { ADMIN_TOKEN, makeFakeApp } from '../support/fake-app.js';
import {
  addressOf,
  ALL_ROUTES,
  bodyOf,
  NATIVE_ROUTES,
  NOBODY,
  OPERATOR_ROUTES,
  titleOf,
  verbOf,
} from '../support/route-requests.js';

// More failures than an address may make: what a matrix of all routes is made of.
const fake = makeFakeApp({ failedAuthenticationsPerMinute: 10_000 });
const other = fake.world.addTenant({ slug: 'globex' });
const { key: othersKey } = fake.world.addKey(other);

const withoutId = (body: unknown): object => ({ ...(body as object), request_id: undefined });

const REFUSED = {
  error: 'UNAUTHENTICATED',
  message: 'Send a valid API key of this tenant: Authorization: Bearer <API_KEY>.',
};

const wrongChecksum = fake.key.slice(0, -1) + (fake.key.endsWith('0') ? '1' : '0');

/** Everything that is no valid key of acme. */
const BAD_CREDENTIALS: readonly (readonly [string, string | undefined])[] = [
  ['no header', undefined],
  ['an empty header', ''],
  ['another scheme', `Basic ${Buffer.from(`a:${fake.key}`).toString('base64')}`],
  ['a bearer without token', 'Bearer'],
  ['two tokens', `Bearer ${fake.key} ${fake.key}`],
  ['a text that is no key', 'Bearer secret'],
  ['a wrong checksum', `Bearer ${wrongChecksum}`],
  ['a well-formed key that nobody has', `Bearer ${makeApiKey().key}`],
  ['the key of another tenant', `Bearer ${othersKey}`],
  ['the admin token', `Bearer ${ADMIN_TOKEN}`],
  ['a token of 600 characters', `Bearer ${'a'.repeat(600)}`],
];

describe.each(NATIVE_ROUTES.map((route) => [titleOf(route), route] as const))(
  '%s',
  (_title, route) => {
    const send = (slug: string, authorization: string | undefined) => {
      const sent = ask(fake.app)[verbOf(route)](addressOf(route, slug));
      return authorization === undefined ? sent : sent.set('Authorization', authorization);
    };

    it.each(BAD_CREDENTIALS)('refuses %s with the one 401', async (_kind, authorization) => {
      const { status, body, headers } = await send('acme', authorization);
      expect(status).toBe(401);
      expect(withoutId(body)).toEqual(REFUSED);
      const isToken = /^bearer \S/i.test(authorization ?? '');
      expect(headers['www-authenticate']).toBe(isToken ? 'Bearer error="invalid_token"' : 'Bearer');
      expect(headers['ratelimit-limit']).toBeUndefined();
    });

    it('refuses a valid key at a slug that does not exist with the same 401', async () => {
      const { status, body } = await send('no-such-tenant', `Bearer ${fake.key}`);
      expect(status).toBe(401);
      expect(withoutId(body)).toEqual(REFUSED);
    });

    const { scope } = route;
    if (scope === 'any key' || scope === 'operator') {
      it('takes any valid key', async () => {
        const { key } = fake.world.addKey(fake.tenant, []);
        // What is read may be another key's to read: then it does not exist for this one.
        const { status, body } = await send('acme', `Bearer ${key}`);
        if (status !== 200) expect([status, body]).toMatchObject([404, { error: 'JOB_NOT_FOUND' }]);
      });
      return;
    }

    it('refuses a key with every scope but the one it needs, naming it', async () => {
      const { key } = fake.world.addKey(
        fake.tenant,
        SCOPES.filter((one) => one !== scope),
      );
      // The body is hostile: it must not even be looked at.
      const sent = send('acme', `Bearer ${key}`).set('Content-Type', 'application/json');
      const { status, body, headers } = await (route.body ? sent.send('{"a":1,"a":2}') : sent);
      expect(status).toBe(403);
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      expect(headers['www-authenticate']).toBe(challenge);
      expect(body).toMatchObject({ error: 'INSUFFICIENT_SCOPE' });
      expect((body as { message: string }).message).toContain(scope);
    });

    it('takes a key with this scope alone', async () => {
      const { key } = fake.world.addKey(fake.tenant, [scope]);
      expect([401, 403]).not.toContain((await send('acme', `Bearer ${key}`)).status);
    });
  },
);

describe.each(OPERATOR_ROUTES.map((route) => [titleOf(route), route] as const))(
  '%s (operators)',
  (_title, route) => {
    it.each([
      ['no header', undefined],
      ['a wrong token', 'Bearer wrong'],
      ['a token that begins like the right one', `Bearer ${ADMIN_TOKEN.slice(0, -1)}`],
      ['a key of a tenant', `Bearer ${fake.key}`],
    ])('refuses %s with the one 401', async (_kind, authorization) => {
      const sent = ask(fake.app)[verbOf(route)](addressOf(route));
      const { status, body, headers } = await (authorization
        ? sent.set('Authorization', authorization)
        : sent);
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe(
        authorization ? 'Bearer error="invalid_token"' : 'Bearer',
      );
      expect(body).toMatchObject({
        error: 'UNAUTHENTICATED',
        message: 'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.',
      });
    });
  },
);

/** Routes about one thing with an id; a slug is no id. */
const withId = ALL_ROUTES.filter(({ path }) => /\{(?:id|\w+Id)\}/.test(path));

describe('every address', () => {
  it.each(withId.map((route) => [titleOf(route), route] as const))(
    '%s answers an id that is none like one that nobody has: 404',
    async (_title, route) => {
      const credentials = `Bearer ${route.api === 'native' ? fake.key : ADMIN_TOKEN}`;
      const tryId = async (id: string) => {
        const address = addressOf(route).replaceAll(NOBODY, id);
        const sent = ask(fake.app)[verbOf(route)](address).set('Authorization', credentials);
        const { status, body } = await (route.body ? sent.send(bodyOf(route)) : sent);
        return { status, body: withoutId(body) };
      };
      const nobodys = await tryId(NOBODY);
      expect(nobodys.status).toBe(404);
      for (const id of ['nonsense', '%F0%9F%9A%80', '$ne', '__proto__', NOBODY.toUpperCase()])
        expect(await tryId(id)).toEqual(nobodys);
    },
  );

  it('asks for credentials before it tells which addresses and methods exist', async () => {
    for (const [method, path] of [
      ['get', '/v1/acme/nope'],
      ['put', '/v1/acme/users'],
      ['get', '/v1/acme'],
      ['get', '/admin/v1/nope'],
      ['put', '/admin/v1/tenants'],
    ] as const)
      expect((await ask(fake.app)[method](path)).status).toBe(401);
  });

  it('answers 404 where nothing is, with and without a key', async () => {
    const inside = await ask(fake.app)
      .get('/v1/acme/nope')
      .set('Authorization', `Bearer ${fake.key}`);
    expect([inside.status, inside.body]).toMatchObject([404, { error: 'NOT_FOUND' }]);
    for (const path of ['/', '/nope', '/v2/acme/users', '/V1/acme/users', '/.env'])
      expect((await ask(fake.app).get(path)).body).toMatchObject({ error: 'NOT_FOUND' });
  });

  it('minds letter case: /Users is not the native /users', async () => {
    const answer = await ask(fake.app)
      .get('/v1/acme/Users')
      .set('Authorization', `Bearer ${fake.key}`);
    expect(answer.status).toBe(404);
  });
});

describe('failed authentications', () => {
  it('cost the database nothing where the form or the checksum is wrong', async () => {
    const looked: string[] = [];
    const { world } = fake;
    const { app } = makeFakeApp({
      apiKeys: {
        ...world.apiKeyReader,
        findByHash: (hash) => {
          looked.push(hash);
          return world.apiKeyReader.findByHash(hash);
        },
      },
    });
    const me = (token: string) =>
      ask(app).get('/v1/acme/me').set('Authorization', `Bearer ${token}`);
    for (const token of [wrongChecksum, 'secret', ADMIN_TOKEN]) await me(token).expect(401);
    expect(looked).toEqual([]);
    await me(fake.key).expect(200);
    expect(looked).toHaveLength(1);
  });

  it('are limited to 300 a minute an address, and lock out no valid key', async () => {
    // However long the machine takes for them, they fall into one minute.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { app, key } = makeFakeApp();
    const fail = () => ask(app).get('/v1/acme/me').set('X-Forwarded-For', randomAddress());
    for (let failed = 0; failed < 300; failed += 1) expect((await fail()).status).toBe(401);
    const { status, body, headers } = await fail();
    expect([status, body]).toMatchObject([429, { error: 'RATE_LIMITED' }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const valid = await ask(app).get('/v1/acme/me').set('Authorization', `Bearer ${key}`);
    expect(valid.status).toBe(200);
    const operator = await ask(app).get('/admin/v1/tenants').set('Authorization', 'Bearer no');
    expect(operator.status).toBe(429);
  });
});

const randomAddress = (): string => `203.0.113.${Math.floor(Math.random() * 256)}`;

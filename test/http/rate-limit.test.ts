import { describe, expect, it } from 'vitest';
import type { RateLimiter } from '../../src/ports/system.js';
import { createFixedWindowRateLimiter } from '../../src/http/access/refuse-credentials.js';
import { hashSecret } from '../../src/http/access/credentials.js';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, openEdge, type TestApp } from '../support/edge.js';

const edge = await openEdge();

const limited = (limit: number) => {
  const clock = { now: 60_000 };
  const rateLimiter = createFixedWindowRateLimiter({
    limit,
    windowMs: 60_000,
    now: () => clock.now,
  });
  return { clock, fake: edge.with({ rateLimiter }) };
};

describe('the rate limit of a setup link', () => {
  it('is shared by all of its sessions', async () => {
    // Given a link that two browsers have opened
    const link = {
      kind: 'setup',
      tenant: 'acme',
      provider: 'okta',
      keyId: null,
      hasIntegrations: false,
      hash: hashSecret('the secret of the link'),
      expiresAt: new Date(Date.now() + 60_000),
    } as const;
    await edge.store.signIn.links.create(link);
    const operatorRateLimiter = createFixedWindowRateLimiter({
      limit: 3,
      windowMs: 60_000,
      now: () => 60_000,
    });
    const { app } = edge.with({
      operatorRateLimiter,
      publicUrl: () => 'http://127.0.0.1:8080',
    });
    const open = async (): Promise<string> => {
      const { headers } = await requestTo(app)
        .post('/admin/v1/setup-session')
        .send({ link: 'the secret of the link' })
        .expect(201);
      return String(headers['set-cookie']).split(';', 1)[0] ?? '';
    };
    const cookies = [await open(), await open()];
    // When both send requests
    const remaining: unknown[] = [];
    for (const cookie of [...cookies, ...cookies]) {
      const { status, headers } = await requestTo(app)
        .get('/admin/v1/session')
        .set('Cookie', cookie)
        .set('X-Rollgate-Session', 'setup');
      remaining.push([status, headers['ratelimit-remaining']]);
    }
    // Then they count together
    expect(remaining).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
  });
});

describe('the rate limit of a key', () => {
  it('allows the stated number of requests, then returns 429 until the window ends', async () => {
    const { fake, clock } = limited(3);
    const me = () =>
      requestTo(fake.app).get('/v1/acme/me').set('Authorization', `Bearer ${fake.key}`);
    for (const remaining of ['2', '1', '0']) {
      const { status, headers } = await me();
      expect([status, headers['ratelimit-remaining']]).toEqual([200, remaining]);
    }
    clock.now += 20_000;
    const { status, headers, body } = await me();
    expect(status).toBe(429);
    expect(body).toMatchObject({ error: 'RATE_LIMITED' });
    expect(headers).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '40',
      'retry-after': '40',
    });
    clock.now += 40_000;
    await me().expect(200);
  });

  it('applies to each key separately, with headers also on refusals', async () => {
    const { fake } = limited(1);
    const other = await fake.addKey(fake.tenant, []);
    await requestTo(fake.app).get('/v1/acme/me').set('Authorization', `Bearer ${fake.key}`);
    const { status, headers } = await requestTo(fake.app)
      .get('/v1/acme/usage')
      .set('Authorization', `Bearer ${other.key}`);
    expect([status, headers['ratelimit-remaining']]).toEqual([403, '0']);
  });

  it('can be asynchronous, like a limiter shared by instances', async () => {
    const rateLimiter: RateLimiter = {
      take: () => Promise.resolve({ allowed: false, limit: 9, remaining: 0, resetSeconds: 33 }),
    };
    const { app, key } = edge.with({ rateLimiter });
    const { status, headers } = await requestTo(app)
      .get('/v1/acme/me')
      .set('Authorization', `Bearer ${key}`);
    expect([status, headers['retry-after']]).toEqual([429, '33']);
  });

  it('does not count requests without a valid key', async () => {
    const { fake } = limited(1);
    await requestTo(fake.app).get('/v1/acme/me').expect(401);
    await requestTo(fake.app)
      .get('/v1/acme/me')
      .set('Authorization', `Bearer ${fake.key}`)
      .expect(200);
  });
});

describe('the rate limit of operators', () => {
  const limitedOperators = (limit: number) => {
    const operatorRateLimiter = createFixedWindowRateLimiter({
      limit,
      windowMs: 60_000,
      now: () => 60_000,
    });
    return edge.with({ operatorRateLimiter, publicUrl: () => 'https://gateway.test' });
  };
  const list = ({ app }: TestApp, credentials: Record<string, string>) =>
    requestTo(app).get('/admin/v1/tenants').set(credentials);
  const token = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const signIn = async ({ app }: TestApp) => {
    const { headers } = await requestTo(app)
      .post('/admin/v1/session')
      .send({ admin_token: ADMIN_TOKEN });
    return { Cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
  };

  it('applies to each session and to the admin token separately', async () => {
    const fake = limitedOperators(1);
    const [session, other] = [await signIn(fake), await signIn(fake)];
    for (const credentials of [session, other, token]) {
      const { status, headers } = await list(fake, credentials);
      expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([
        200,
        '1',
        '0',
      ]);
      const refused = await list(fake, credentials);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    }
  });

  it('does not count signing in, and leaves keys of tenants alone', async () => {
    const fake = limitedOperators(1);
    await signIn(fake);
    await signIn(fake);
    await list(fake, token).expect(200);
    await requestTo(fake.app)
      .get('/v1/acme/me')
      .set('Authorization', `Bearer ${fake.key}`)
      .expect(200);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { requestTo } from '../support/ask.js';
import { hashSecret } from '../../src/http/access/credentials.js';
import { ADMIN_TOKEN, openEdge, type TestApp } from '../support/edge.js';

const ORIGIN = 'http://127.0.0.1:8080';
let fake: TestApp;
beforeEach(async () => {
  fake = await openEdge({ publicUrl: () => ORIGIN });
});

interface Signed {
  readonly cookie: string;
  readonly csrf: string;
}

const cookieIn = (headers: Record<string, string>): string =>
  String(headers['set-cookie']).split(';')[0] ?? '';

const signIn = async (body: object = { admin_token: ADMIN_TOKEN }): Promise<Signed> => {
  const { headers, body: view } = await requestTo(fake.app)
    .post('/admin/v1/session')
    .set('Origin', ORIGIN)
    .send(body)
    .expect(201);
  return {
    cookie: cookieIn(headers),
    csrf: (view as { readonly csrf_token: string }).csrf_token,
  };
};

const createTenant = ({ cookie, csrf }: Signed, slug = 'globex') =>
  requestTo(fake.app)
    .post('/admin/v1/tenants')
    .set('Cookie', cookie)
    .set('X-CSRF-Token', csrf)
    .set('Origin', ORIGIN)
    .send({ slug, name: slug });

describe('a session', () => {
  it('is made from the admin token, in a cookie that scripts cannot read', async () => {
    const { headers, body } = await requestTo(fake.app)
      .post('/admin/v1/session')
      .send({ admin_token: ADMIN_TOKEN });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^rg_sid=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=43200$/,
      ) as unknown,
    ]);
    expect(body).toMatchObject({
      operator: { id: null, name: 'admin-token', role: 'owner', tenants: null },
      csrf_token: expect.any(String) as unknown,
    });
    const read = await requestTo(fake.app)
      .get('/admin/v1/session')
      .set('Cookie', cookieIn(headers));
    expect(read.body).toEqual(body);
  });

  it('has a cookie for this host over TLS only, behind an https URL', async () => {
    fake = fake.with({ publicUrl: () => 'https://gateway.test' });
    const { headers } = await requestTo(fake.app)
      .post('/admin/v1/session')
      .send({ admin_token: ADMIN_TOKEN });
    expect(headers['set-cookie']?.[0]).toMatch(
      /^__Host-rg_sid=[\w-]{43}; Secure; HttpOnly; SameSite=Lax; Path=\/; Max-Age=43200$/,
    );
  });

  it('is refused over plain HTTP, unless on loopback', async () => {
    for (const url of ['http://gateway.test', 'http://127.0.0.1.evil.test', 'http://10.0.0.1']) {
      fake = fake.with({ publicUrl: () => url });
      const { status, headers } = await requestTo(fake.app)
        .post('/admin/v1/session')
        .send({ admin_token: ADMIN_TOKEN });
      expect([url, status, headers['set-cookie']]).toEqual([url, 400, undefined]);
    }
  });

  it('acts with the source dashboard', async () => {
    await createTenant(await signIn()).expect(201);
    expect(fake.submissions).toMatchObject([
      { source: 'dashboard', actor: { kind: 'operator', name: 'admin-token' } },
    ]);
  });

  it('ends by signing out', async () => {
    const { cookie, csrf } = await signIn();
    const { headers } = await requestTo(fake.app)
      .delete('/admin/v1/session')
      .set('Cookie', cookie)
      .set('X-CSRF-Token', csrf)
      .set('Origin', ORIGIN)
      .expect(204);
    expect(headers['set-cookie']?.[0]).toMatch(/^rg_sid=; .*Max-Age=0$/);
    await requestTo(fake.app).get('/admin/v1/session').set('Cookie', cookie).expect(401);
  });

  it('gets a new id at each sign-in, and the previous one ends', async () => {
    const { cookie } = await signIn();
    const { headers } = await requestTo(fake.app)
      .post('/admin/v1/session')
      .set('Cookie', cookie)
      .send({ admin_token: ADMIN_TOKEN });
    expect(cookieIn(headers)).not.toBe(cookie);
    await requestTo(fake.app).get('/admin/v1/session').set('Cookie', cookie).expect(401);
  });

  it('of the admin token ends when the token is replaced', async () => {
    const { cookie } = await signIn();
    await requestTo(fake.app)
      .post('/admin/v1/admin-token/rotate')
      .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
      .expect(200);
    await requestTo(fake.app).get('/admin/v1/session').set('Cookie', cookie).expect(401);
  });

  it('is not made from a wrong token, whose attempts are limited', async () => {
    fake = fake.with({ failedAuthenticationsPerMinute: 1 });
    const attempt = () =>
      requestTo(fake.app).post('/admin/v1/session').send({ admin_token: 'guess' });
    expect((await attempt()).body).toMatchObject({ error: 'UNAUTHENTICATED' });
    expect((await attempt()).body).toMatchObject({ error: 'RATE_LIMITED' });
  });

  it.each([{}, { admin_token: ADMIN_TOKEN, link: 'x' }, { password: 'x' }])(
    'is not made from %j',
    async (body) => {
      await requestTo(fake.app).post('/admin/v1/session').send(body).expect(400);
    },
  );

  it('is ignored by requests with an Authorization header', async () => {
    const { cookie } = await signIn();
    await requestTo(fake.app)
      .get('/admin/v1/tenants')
      .set('Cookie', cookie)
      .set('Authorization', 'Bearer wrong')
      .expect(401);
  });

  it('leaves no secret in the log', async () => {
    const { cookie, csrf } = await signIn();
    await createTenant({ cookie, csrf });
    const log = JSON.stringify(fake.lines);
    for (const secret of [cookie.slice(7), csrf, ADMIN_TOKEN]) expect(log).not.toContain(secret);
  });
});

describe('the length of a session', () => {
  const MINUTE = 60_000;
  const sessionLifetime = { idleTimeout: 10 * MINUTE, maxAge: 60 * MINUTE };
  /** With a clock that starts at the real time, by which the store deletes sessions. */
  const open = () => {
    const clock = { now: new Date() };
    const now = (): Date => clock.now;
    fake = fake.with({ now, sessionLifetime });
    const pass = (minutes: number): void => {
      clock.now = new Date(clock.now.getTime() + minutes * MINUTE);
    };
    /** A request is answered before the session is stored as used. */
    const isUsed = () => expect.poll(lastUse).toEqual(now());
    return { now, pass, isUsed };
  };
  const lastUse = async () => (await fake.collections.operatorSessions.findOne({}))?.lastSeenAt;
  const statusOf = async ({ cookie }: Signed): Promise<number> =>
    (await requestTo(fake.app).get('/admin/v1/session').set('Cookie', cookie)).status;

  it('ends after the configured time without a request', async () => {
    const { pass, isUsed } = open();
    const session = await signIn();
    for (const minutes of [9, 9]) {
      pass(minutes);
      expect(await statusOf(session)).toBe(200);
      await isUsed();
    }
    pass(10);
    expect(await statusOf(session)).toBe(401);
  });

  it('ends at the configured age, whatever is requested', async () => {
    const { pass, isUsed } = open();
    const session = await signIn();
    for (let minutes = 9; minutes < 60; minutes += 9) {
      pass(9);
      expect([minutes, await statusOf(session)]).toEqual([minutes, 200]);
      await isUsed();
    }
    pass(6);
    expect(await statusOf(session)).toBe(401);
  });

  it('is in the cookie and in the view of the session', async () => {
    const { now } = open();
    const { headers, body } = await requestTo(fake.app)
      .post('/admin/v1/session')
      .send({ admin_token: ADMIN_TOKEN });
    expect(headers['set-cookie']?.[0]).toContain('Max-Age=3600');
    expect(body).toMatchObject({
      expires_at: new Date(now().getTime() + 10 * MINUTE).toISOString(),
    });
  });

  it('of a setup link ends when the link expires', async () => {
    const { now, pass, isUsed } = open();
    const secret = 'a-setup-link';
    await fake.store.signIn.links.create({
      kind: 'setup',
      tenant: 'acme',
      provider: 'entra',
      keyId: null,
      hasIntegrations: false,
      hash: hashSecret(secret),
      expiresAt: new Date(now().getTime() + 15 * MINUTE),
    });
    const { headers } = await requestTo(fake.app)
      .post('/admin/v1/setup-session')
      .send({ link: secret })
      .expect(201);
    expect(headers['set-cookie']?.[0]).toContain('Max-Age=900');
    const read = () =>
      requestTo(fake.app)
        .get('/admin/v1/session')
        .set('Cookie', cookieIn(headers))
        .set('X-Rollgate-Session', 'setup');
    for (const minutes of [8, 6]) {
      pass(minutes);
      await read().expect(200);
      await isUsed();
    }
    pass(1);
    await read().expect(401);
  });

  it('becomes shorter for sessions that exist, but not longer', async () => {
    const { pass } = open();
    const session = await signIn();
    // When a gateway starts with other settings
    fake = fake.with({ sessionLifetime: { idleTimeout: 60 * MINUTE, maxAge: 90 * MINUTE } });
    pass(11);
    expect(await statusOf(session)).toBe(401);
    const another = await signIn();
    fake = fake.with({ sessionLifetime: { idleTimeout: 5 * MINUTE, maxAge: 90 * MINUTE } });
    pass(6);
    expect(await statusOf(another)).toBe(401);
  });
});

describe('writes of a session', () => {
  it.each([
    ['without the token', { 'X-CSRF-Token': '' }],
    ['with another token', { 'X-CSRF-Token': 'a'.repeat(43) }],
    ['without an origin', { Origin: '' }],
    ['of another site', { Origin: 'https://evil.test' }],
    ['of a frame without origin', { Origin: 'null' }],
    ['of another port', { Origin: 'http://127.0.0.1:9090' }],
    ['that another site has caused', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of a sibling domain', { 'Sec-Fetch-Site': 'same-site' }],
  ])('are refused %s', async (_kind, headers: Record<string, string>) => {
    const { body, status } = await createTenant(await signIn()).set(headers);
    expect([status, body]).toMatchObject([403, { error: 'CSRF_REJECTED' }]);
    expect(fake.submissions).toEqual([]);
  });

  it('are accepted from another name of loopback', async () => {
    await createTenant(await signIn())
      .set('Origin', 'http://localhost:8080')
      .set('Sec-Fetch-Site', 'same-origin')
      .expect(201);
  });

  it('must be JSON', async () => {
    const { cookie, csrf } = await signIn();
    await requestTo(fake.app)
      .post('/admin/v1/tenants')
      .set('Cookie', cookie)
      .set('X-CSRF-Token', csrf)
      .set('Origin', ORIGIN)
      .type('form')
      .send('slug=globex&name=Globex')
      .expect(415);
  });

  it('of another site cannot sign in', async () => {
    const { body } = await requestTo(fake.app)
      .post('/admin/v1/session')
      .set('Origin', 'https://evil.test')
      .send({ admin_token: ADMIN_TOKEN });
    expect(body).toMatchObject({ error: 'CSRF_REJECTED' });
  });
});

describe('the ways to sign in', () => {
  it('are shown without credentials', async () => {
    const { status, body } = await requestTo(fake.app).get('/admin/v1/sign-in');
    expect([status, body]).toEqual([
      200,
      {
        oidc: null,
        brand: { name: null, logo_url: null, accent: null },
        passkey_host: 'localhost',
        session: null,
        setup_open: false,
        setup_pending: true,
        unavailable: null,
      },
    ]);
  });

  it('have the name and the logo of the operator', async () => {
    const logo = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    fake = fake.with({ branding: { name: 'Acme Voice', logo, accent: null } });
    const { body } = await requestTo(fake.app).get('/admin/v1/sign-in');
    expect(body).toMatchObject({
      brand: { name: 'Acme Voice', logo_url: '/admin/v1/branding/logo', accent: null },
    });
    const shown = await requestTo(fake.app).get('/admin/v1/branding/logo').buffer();
    expect([shown.status, String(shown.body)]).toEqual([200, logo]);
    // Opened by itself, it is a download: no script in it runs.
    expect(shown.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename="logo.svg"',
      'x-content-type-options': 'nosniff',
    });
  });

  it('have no logo unless one is configured', async () => {
    expect((await requestTo(fake.app).get('/admin/v1/branding/logo')).status).toBe(404);
  });
});

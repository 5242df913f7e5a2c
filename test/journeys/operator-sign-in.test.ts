import { readFile, stat } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type OpenIdAccount,
  openTestOpenIdProvider,
  signToken,
} from '../support/openid-provider.js';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { ADMIN_TOKEN, TestGateway } from '../support/gateway.js';

const provider = await openTestOpenIdProvider();
afterAll(provider.close);

const gateway = TestGateway.use(() => ({
  ROLLGATE_OPERATORS_OIDC_NAME: 'Acme login',
  ROLLGATE_OPERATORS_OIDC_ISSUER: provider.issuer,
  ROLLGATE_OPERATORS_OIDC_CLIENT_ID: provider.clientId,
  ROLLGATE_OPERATORS_OIDC_CLIENT_SECRET: provider.clientSecret,
  ROLLGATE_OPERATORS_OIDC_SCOPES: 'openid,profile,email,groups',
  ROLLGATE_OPERATORS_OIDC_ROLES: JSON.stringify([
    { group: 'owners', role: 'owner' },
    { group: 'acme', role: 'operator', tenants: ['tenant-1'] },
  ]),
}));

const ADA: OpenIdAccount = {
  sub: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  groups: ['owners'],
};

interface SessionBody {
  readonly operator: { readonly id: string; readonly name: string; readonly role: string };
  readonly csrf_token: string;
  readonly authenticated_at: string | null;
  readonly step_up_until: string | null;
  readonly sign_out_url: string | null;
}

let api = '';
let origin = '';
beforeAll(async () => {
  const { url } = await gateway.open();
  [origin, api] = [url, `${url}/admin/v1`];
  provider.allow(`${api}/oidc/callback`, `${url}/dashboard/sign-in`);
});

const sessionOf = async (browser: Browser): Promise<SessionBody> => {
  const response = await browser.request(`${api}/session`);
  expect(response.status).toBe(200);
  return (await response.json()) as SessionBody;
};

const write = (
  browser: Browser,
  { csrf_token: csrf }: SessionBody,
  path: string,
  init: RequestInit = {},
) =>
  browser.request(api + path, {
    ...init,
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf, origin },
  });

const signInAs = async (account: OpenIdAccount): Promise<Browser> => {
  provider.isUsedBy(account);
  const browser = new Browser();
  expect(await browser.follow(`${api}/oidc/start`)).toBe(`${origin}/dashboard/`);
  return browser;
};

describe('the setup link', () => {
  it('is stored for its owner only, and creates the first owner once', async () => {
    const { setup } = await gateway.open();
    const path = setup?.setupPath ?? '';
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim()).toBe(setup?.setupUrl);
    const secret = setup?.setupUrl.split('#')[1];
    const send = (body: object) =>
      fetch(`${api}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await send({ link: secret })).status).toBe(400);
    const first = await send({ link: secret, name: 'Grace Hopper' });
    expect([first.status, await first.json()]).toMatchObject([
      201,
      { operator: { name: 'Grace Hopper', role: 'owner', tenants: null } },
    ]);
    expect((await send({ link: secret, name: 'Mallory' })).status).toBe(401);
  });
});

describe('an OpenID sign-in', () => {
  it('creates the operator with the role of their group', async () => {
    const browser = await signInAs(ADA);
    const session = await sessionOf(browser);
    expect(session.operator).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      role: 'owner',
      tenants: null,
    });
    expect(session.sign_out_url).toContain(`${provider.issuer}/session/end?`);
    // The cookie of the flow is gone, that of the session is there.
    expect(browser.cookies(new URL(origin).host)).toMatch(/^rg_sid=[\w-]{43}$/);
  });

  it('names the person in the provisioning log', async () => {
    const browser = await signInAs(ADA);
    const session = await sessionOf(browser);
    const { slug } = await gateway.tenant();
    const changed = await write(browser, session, `/tenants/${slug}`, {
      method: 'PATCH',
      body: JSON.stringify({ name: 'Renamed' }),
    });
    expect(changed.status).toBe(200);
    for (const actor of [session.operator.id, 'Ada Lovelace', `operator:${session.operator.id}`]) {
      const query = new URLSearchParams({ actor }).toString();
      const { body } = await (
        await gateway.operator()
      )('GET', `/tenants/${slug}/commands?${query}`);
      expect(body).toMatchObject({
        commands: [
          {
            actor: { kind: 'operator', id: session.operator.id, name: 'Ada Lovelace' },
            source: 'dashboard',
            type: 'tenant.update',
          },
        ],
      });
    }
  });

  it('takes over role and tenants each time, and ends all sessions of those without a role', async () => {
    const bob = { ...ADA, sub: 'bob', name: 'Bob' };
    const before = await signInAs(bob);
    const { operator } = await sessionOf(before);
    const bound = await signInAs({ ...bob, groups: ['acme'] });
    expect((await sessionOf(bound)).operator).toMatchObject({
      id: operator.id,
      role: 'operator',
      tenants: ['tenant-1'],
    });
    provider.isUsedBy({ ...bob, groups: ['visitors'] });
    expect(await new Browser().follow(`${api}/oidc/start`)).toBe(
      `${origin}/dashboard/sign-in?error=NO_ROLE`,
    );
    for (const browser of [before, bound])
      await eventually(async () =>
        expect((await browser.request(`${api}/session`)).status).toBe(401),
      );
  });

  it('is refused to a disabled operator, whose sessions end', async () => {
    const eve = { ...ADA, sub: 'eve', name: 'Eve' };
    const browser = await signInAs(eve);
    const { operator } = await sessionOf(browser);
    const admin = await gateway.operator();
    expect(
      (await admin('PATCH', `/operators/${operator.id}`, { role: 'auditor' })).body,
    ).toMatchObject({ error: 'OPERATOR_FROM_PROVIDER' });
    await admin('PATCH', `/operators/${operator.id}`, { disabled: true });
    expect((await browser.request(`${api}/session`)).status).toBe(401);
    expect(await new Browser().follow(`${api}/oidc/start`)).toContain('error=OPERATOR_DISABLED');
  });

  it('that is cancelled leads to the sign-in page', async () => {
    provider.isUsedBy(null);
    expect(await new Browser().follow(`${api}/oidc/start`)).toContain('error=PROVIDER_REFUSED');
  });

  it('returns to a page of the dashboard, and nowhere else', async () => {
    provider.isUsedBy(ADA);
    const to = (page: string) =>
      new Browser().follow(`${api}/oidc/start?return_to=${encodeURIComponent(page)}`);
    expect(await to('/dashboard/t/acme/log?q=1')).toBe(`${origin}/dashboard/t/acme/log?q=1`);
    for (const page of [
      'https://evil.test/dashboard/',
      '//evil.test/dashboard/',
      '/\\evil.test/dashboard/',
      '/dashboard/../admin/v1/session',
      '/dashboard@evil.test',
      'javascript:alert(1)',
    ])
      expect(await to(page)).toBe(`${origin}/dashboard/`);
  });

  it('is not finished by another browser, twice, or with another state', async () => {
    provider.isUsedBy(ADA);
    const browser = new Browser();
    let url = `${api}/oidc/start`;
    while (!url.startsWith(`${api}/oidc/callback`)) {
      const response = await browser.request(url);
      url = new URL(response.headers.get('location') ?? '', url).href;
    }
    const landing = async (one: Browser, at: string) =>
      (await one.request(at)).headers.get('location');
    expect(await landing(new Browser(), url)).toContain('error=SIGN_IN_EXPIRED');
    const stolen = new Browser();
    await stolen.request(`${api}/oidc/start`);
    expect(await landing(stolen, url)).toContain('error=PROVIDER_FAILED');
    expect(await landing(browser, url)).toBe('/dashboard/');
    // The flow's cookie was deleted; and the provider accepts a code once.
    expect(await landing(browser, url)).toContain('error=SIGN_IN_EXPIRED');
  });

  it('with step_up asks the provider how long ago they proved who they are', async () => {
    const browser = await signInAs(ADA);
    const before = await sessionOf(browser);
    const start = await browser.request(`${api}/oidc/start?step_up=1`);
    const to = new URL(start.headers.get('location') ?? '');
    expect(to.searchParams.get('max_age')).toBe('300');
    expect(to.searchParams.get('code_challenge_method')).toBe('S256');
    await browser.follow(`${api}/oidc/start?step_up=1`);
    const after = await sessionOf(browser);
    expect(after.operator).toEqual(before.operator);
    expect(after.csrf_token).not.toBe(before.csrf_token);
    expect(after.authenticated_at).not.toBeNull();
    expect(await createOperator(browser)).toEqual([201, undefined]);
  });
});

/** An operation that needs a recent sign-in. */
const createOperator = async (browser: Browser): Promise<readonly [number, unknown]> => {
  const response = await write(browser, await sessionOf(browser), '/operators', {
    method: 'POST',
    body: JSON.stringify({ name: 'Alan', role: 'auditor' }),
  });
  return [response.status, ((await response.json()) as { readonly error?: string }).error];
};

describe('an OpenID sign-in without auth_time', () => {
  afterEach(() => provider.forge(undefined));
  const REFUSED = [403, 'STEP_UP_REQUIRED'];

  it('is no proof of a recent sign-in, at first and in a session that has one', async () => {
    const browser = await signInAs(ADA);
    expect(await sessionOf(browser)).toMatchObject({ authenticated_at: null, step_up_until: null });
    expect(await createOperator(browser)).toEqual(REFUSED);
    await browser.follow(`${api}/oidc/start?step_up=1`);
    expect(await createOperator(browser)).toEqual([201, undefined]);
    await browser.follow(`${api}/oidc/start`);
    expect(await createOperator(browser)).toEqual(REFUSED);
  });

  it('ends a step-up with a code of its own, and leaves the session as it was', async () => {
    const browser = await signInAs(ADA);
    const before = await sessionOf(browser);
    provider.forge((claims, key) => signToken(key, { ...claims, auth_time: undefined }));
    expect(await browser.follow(`${api}/oidc/start?step_up=1`)).toBe(
      `${origin}/dashboard/sign-in?error=NO_RECENT_SIGN_IN`,
    );
    expect(await sessionOf(browser)).toMatchObject({ csrf_token: before.csrf_token });
    expect(await createOperator(browser)).toEqual(REFUSED);
  });

  it('counts from the auth_time of a provider that sends it unasked', async () => {
    const signedIn = async (minutes: number): Promise<Browser> => {
      const at = Math.floor(Date.now() / 1_000) - minutes * 60;
      provider.forge((claims, key) => signToken(key, { ...claims, auth_time: at }));
      return signInAs(ADA);
    };
    expect(await createOperator(await signedIn(1))).toEqual([201, undefined]);
    expect(await createOperator(await signedIn(60))).toEqual(REFUSED);
  });
});

describe('a link', () => {
  it('signs its operator in once, and an owner steps up with the admin token', async () => {
    const admin = await gateway.operator();
    const { body: operator } = await admin<{ id: string }>('POST', '/operators', {
      name: 'Lin',
      role: 'owner',
    });
    const { body: link } = await admin<{ url: string }>('POST', `/operators/${operator.id}/link`);
    const secret = link.url.split('#')[1];
    const browser = new Browser();
    const signIn = (body: object) =>
      browser.request(`${api}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await signIn({ link: secret })).status).toBe(201);
    expect((await sessionOf(browser)).operator.name).toBe('Lin');
    const steppedUp = await signIn({ admin_token: ADMIN_TOKEN, step_up: true });
    expect([steppedUp.status, await steppedUp.json()]).toMatchObject([
      201,
      { operator: { id: operator.id, name: 'Lin' } },
    ]);
    expect((await signIn({ link: secret })).status).toBe(401);
    const { body: sessions } = await admin<{ sessions: { id: string }[] }>(
      'GET',
      `/operators/${operator.id}/sessions`,
    );
    expect(sessions.sessions).toHaveLength(1);
    const [session] = sessions.sessions;
    const path = `/operators/${operator.id}/sessions/${session?.id}`;
    expect((await admin('DELETE', path)).status).toBe(204);
    expect((await admin('DELETE', path)).body).toMatchObject({ error: 'SESSION_NOT_FOUND' });
    expect((await browser.request(`${api}/session`)).status).toBe(401);
    expect((await admin('DELETE', `/operators/${operator.id}`)).status).toBe(204);
  });
});

describe('a setup link', () => {
  it('shows a customer the setup of their tenant, and makes one key', async () => {
    const admin = await gateway.operator();
    const { slug } = await gateway.tenant();
    const { body: link } = await admin<{ url: string }>('POST', `/tenants/${slug}/setup-links`, {
      provider: 'okta',
    });
    expect(link.url).toMatch(
      `${origin.replace('127.0.0.1', 'localhost')}/dashboard/t/${slug}/setup#`,
    );
    const open = async (browser = new Browser({ 'x-rollgate-session': 'setup' })) => {
      const response = await browser.request(`${api}/setup-session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link: link.url.split('#')[1] }),
      });
      return { browser, status: response.status, session: (await response.json()) as SessionBody };
    };
    const { browser, session } = await open();
    expect(session).toMatchObject({
      operator: { id: null, role: 'setup', tenants: [slug] },
      setup: { tenant: slug, provider: 'okta', key_id: null },
    });

    const makeKey = async () => {
      const response = await write(browser, session, `/tenants/${slug}/setup/key`, {
        method: 'POST',
      });
      expect(response.status).toBe(201);
      return (await response.json()) as { key: string; key_id: string; scopes: string[] };
    };
    const first = await makeKey();
    expect(first.scopes).toEqual(['scim:read', 'scim:write']);
    const second = await makeKey();
    const users = async (key: string) =>
      (await (await gateway.tenantWithKey(slug, key)).scim('GET', '/Users')).status;
    expect([await users(first.key), await users(second.key)]).toEqual([401, 200]);
    expect(await sessionOf(browser)).toMatchObject({ setup: { key_id: second.key_id } });

    for (const path of [`/tenants/${slug}`, `/tenants/${slug}/events`, '/tenants', '/operators'])
      expect([path, (await browser.request(api + path)).status]).toEqual([path, 403]);
    expect((await open()).status).toBe(201);

    // Opened by an operator, it does not end their session, and each session has its exit.
    const both = await signInAs(ADA);
    expect((await open(both)).status).toBe(201);
    const setup = { headers: { 'x-rollgate-session': 'setup' } };
    const roles = async () => [
      (await sessionOf(both)).operator.role,
      ((await (await both.request(`${api}/session`, setup)).json()) as SessionBody).operator.role,
    ];
    expect(await roles()).toEqual(['owner', 'setup']);
    expect(await (await both.request(`${api}/sign-in`)).json()).toMatchObject({
      session: { operator: { role: 'owner' } },
      setup_open: true,
    });
    const ended = await both.request(`${api}/session`, {
      method: 'DELETE',
      headers: {
        ...setup.headers,
        origin,
        'x-csrf-token': (
          (await (await both.request(`${api}/session`, setup)).json()) as SessionBody
        ).csrf_token,
      },
    });
    expect(ended.status).toBe(204);
    expect((await both.request(`${api}/session`, setup)).status).toBe(401);
    expect((await sessionOf(both)).operator.role).toBe('owner');

    const links = `/tenants/${slug}/setup-links`;
    const { body: listed } = await admin<{ setup_links: { id: string }[] }>('GET', links);
    expect(listed).toMatchObject({
      setup_links: [{ provider: 'okta', key_id: second.key_id }],
      total: 1,
    });
    const [{ id } = { id: '' }] = listed.setup_links;
    const { slug: other } = await gateway.tenant();
    expect((await admin('DELETE', `/tenants/${other}/setup-links/${id}`)).status).toBe(404);
    expect((await admin('DELETE', `${links}/${id}`)).status).toBe(204);
    expect((await admin('DELETE', `${links}/${id}`)).status).toBe(404);
    expect((await open()).status).toBe(401);
    await eventually(async () =>
      expect((await browser.request(`${api}/session`)).status).toBe(401),
    );
  });

  it('ends with all others of its tenant', async () => {
    const admin = await gateway.operator();
    const { slug } = await gateway.tenant();
    const links = `/tenants/${slug}/setup-links`;
    for (const provider of ['okta', 'entra']) await admin('POST', links, { provider });
    expect((await admin('GET', links)).body).toMatchObject({ total: 2 });
    expect((await admin('DELETE', links)).status).toBe(204);
    expect((await admin('GET', links)).body).toMatchObject({ total: 0 });
  });

  it('and operators bound to a tenant do not get the next tenant of its name', async () => {
    const admin = await gateway.operator();
    await admin('POST', '/tenants', { slug: 'reused', name: 'First' });
    const { body: operator } = await admin<{ id: string }>('POST', '/operators', {
      name: 'Bound',
      role: 'admin',
      tenants: ['reused'],
    });
    await admin('DELETE', '/tenants/reused', undefined, { prefer: 'dry-run' });
    const path = `/operators/${operator.id}`;
    expect((await admin('GET', path)).body).toMatchObject({ tenants: ['reused'] });
    await admin('DELETE', '/tenants/reused');
    expect((await admin('GET', path)).body).toMatchObject({ tenants: [] });
  });
});

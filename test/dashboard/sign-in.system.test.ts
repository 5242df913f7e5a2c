import { accentShades } from '../../config/accent-colour.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type OpenIdAccount,
  openTestOpenIdProvider,
  signToken,
} from '../support/openid-provider.js';
import {
  buildSite,
  HAS_CHROMIUM,
  siteFolder,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';
import { createClient, createResource, type TestTenant } from '../support/gateway.js';
import { ENTERPRISE_URN, GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

const folder = siteFolder();

const provider = await openTestOpenIdProvider();
afterAll(provider.close);

let database = '';
const gateway = useDashboardGateway(folder, (uri) => {
  database = uri;
  return {
    ROLLGATE_OPERATORS_OIDC_NAME: 'Acme login',
    ROLLGATE_OPERATORS_OIDC_ISSUER: provider.issuer,
    ROLLGATE_OPERATORS_OIDC_CLIENT_ID: provider.clientId,
    ROLLGATE_OPERATORS_OIDC_CLIENT_SECRET: provider.clientSecret,
    ROLLGATE_OPERATORS_OIDC_SCOPES: 'openid,profile,email,groups',
    ROLLGATE_OPERATORS_OIDC_ROLES: JSON.stringify([
      { group: 'owners', role: 'owner' },
      { group: 'acme', role: 'operator', tenants: ['tenant-1'] },
      { group: 'support', role: 'auditor' },
    ]),
  };
});
const browser = useBrowser();
let tenant: TestTenant;
let url: string;
let visitor: Visitor;
let at: string;

const ada: OpenIdAccount = {
  sub: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  groups: ['owners'],
};

/** Follows the button of the provider, which signs this person in. */
const signInAs = async (account: OpenIdAccount): Promise<void> => {
  provider.isUsedBy(account);
  await visitor.page.getByRole('button', { name: 'Continue with Acme login' }).click();
  await visitor.page.locator('.shell').waitFor();
  await visitor.settle();
};

const ageSessions = () => visitor.ageSessions(database);

/** What Entra sends to create a user, with the attributes of its default mappings. */
const ENTRA_USER = {
  schemas: [USER_URN, ENTERPRISE_URN],
  externalId: '8b1d6a1e-1b0e-4a6c-9b1f-5d0c1a7e2f33',
  userName: 'ada@contoso.example',
  active: true,
  displayName: 'Ada Lovelace',
  emails: [{ primary: true, type: 'work', value: 'ada@contoso.example' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
  roles: [],
  [ENTERPRISE_URN]: { department: 'Dispatch' },
};

/** Opens a setup link of the tenant, as the administrator of a customer. */
const openGuide = async (slug: string, fields: object) => {
  const { page } = visitor;
  const operator = await gateway.operator();
  const { body: link } = await operator<{ readonly url: string }>(
    'POST',
    `/tenants/${slug}/setup-links`,
    fields,
  );
  // The operators of these tests are signed in at another address than its.
  const address = link.url.replace('//localhost:', '//127.0.0.1:');
  await page.goto(address);
  const copied = async (what: string): Promise<string> => {
    await page.getByRole('button', { name: `Copy ${what}` }).click();
    await page.getByText(`Copied ${what}`).waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  /** The key that was created, which is shown once. */
  const stored = async (what: string): Promise<string> => {
    const secret = await copied(`the ${what}`);
    await page.getByLabel(`I have stored the ${what}`).check();
    await page.getByRole('button', { name: 'Done' }).click();
    return secret;
  };
  const step = async (title: string): Promise<void> => {
    await page.locator('.step-done').filter({ hasText: title }).waitFor();
  };
  return { address, copied, stored, step };
};

/** As if the operator had configured this accent colour. */
const setAccent = async (colour: string): Promise<void> => {
  await visitor.page.route('**/admin/v1/sign-in', async (route) => {
    const response = await route.fetch();
    const options = (await response.json()) as { readonly brand: object };
    const brand = { ...options.brand, accent: accentShades(colour) };
    await route.fulfill({ response, json: { ...options, brand } });
  });
};

const createKey = async (name: string): Promise<void> => {
  const { page } = visitor;
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const creating = page.getByRole('dialog', { name: 'Create API key' });
  await creating.getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
};

describe.skipIf(!HAS_CHROMIUM)('in a browser', () => {
  beforeAll(async () => {
    await buildSite(folder);
    tenant = await gateway.tenant({ name: 'Northwind Rescue' });
    ({ url } = await gateway.open());
    provider.allow(`${url}/admin/v1/oidc/callback`, `${url}/dashboard/sign-in`);
    at = `/t/${tenant.slug}`;
  });

  beforeEach(async () => {
    visitor = await Visitor.open(await browser(), url, VIEWS[0]);
  });

  afterEach(() => visitor.close());

  it('the setup link of the first start makes the first owner, once', async () => {
    const { page } = visitor;
    const link = (await gateway.open()).setup?.setupUrl ?? '';
    await page.goto(`${url}/`);
    await page.getByText('This gateway has no operators yet.').waitFor();
    await visitor.expectFlawless('the sign-in before');
    // An earlier session of this browser begins no reads before the sign-in.
    await page.evaluate(
      `localStorage.setItem('rollgate-session-ends', '2999-01-01T00:00:00.000Z')`,
    );
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Set up your account' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    await visitor.expectFlawless('the setup');
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.account-name').getByText('owner').waitFor();
    // Where the link led, and the session is.
    await page.getByRole('link', { name: 'Operators', exact: true }).click();
    await page.getByRole('cell', { name: 'Grace Hopper', exact: true }).waitFor();
    await visitor.expectFlawless('the operators');

    const other = await Visitor.open(await browser(), url, VIEWS[0]);
    other.expectErrorOf('/admin/v1/session');
    await other.page.goto(link);
    await other.page.getByLabel('Your name').fill('Mallory');
    await other.page.getByRole('button', { name: 'Continue' }).click();
    await other.page.getByRole('alert').waitFor();
    await other.expectFlawless('the used link');
    await other.close();
  });

  it('an OpenID sign-in returns to the page, and the sign-out ends it at the provider', async () => {
    const { page } = visitor;
    await page.goto(`${url}/dashboard${at}/rooms`);
    await signInAs(ada);
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    await page.locator('.account-name').getByText('Ada Lovelace').waitFor();
    await page.locator('.account-name').getByText('owner').waitFor();
    await visitor.expectFlawless('the page');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/session/end?**`);
    await page.getByRole('button', { name: /yes, sign me out/i }).click();
    await page.waitForURL(`${url}/dashboard/sign-in**`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await visitor.expectFlawless('the sign-in');
    await page.goto(`${url}/dashboard${at}/rooms`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  it.each([
    ['whose groups have no role', { ...ada, groups: [] }, 'NO_ROLE'],
    ['who cancels', null, 'PROVIDER_REFUSED'],
  ])('a person %s learns it on the sign-in page', async (_who, account, code) => {
    const { page } = visitor;
    provider.isUsedBy(account);
    await page.goto(`${url}/`);
    await page.getByRole('button', { name: 'Continue with Acme login' }).click();
    await page.getByText(code, { exact: true }).waitFor();
    await visitor.expectFlawless(code);
  });

  it('an operator of one tenant sees what they can do, and a clear page elsewhere', async () => {
    const { page } = visitor;
    await page.goto(`${url}/`);
    await signInAs({ ...ada, sub: 'grace', name: 'Grace', groups: ['acme'] });
    await page.locator('.account-name').getByText('operator').waitFor();
    for (const name of ['System', 'Operators'])
      expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    await visitor.visit(`${at}/settings/api-keys`);
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    await visitor.expectFlawless('the keys');
    await visitor.visit(`${at}/admin/security/sso/directory-roles`);
    expect(await page.getByRole('button', { name: 'New mapping' }).count()).toBe(0);
    await visitor.visit('/operators');
    await page.getByText('Your role operator cannot see Operators').waitFor();
    await page.getByText('It requires the role owner.').waitFor();
    await visitor.picture('no access');
    await visitor.expectFlawless('the operators');
    await visitor.visit('/system');
    await page.getByText('You cannot see System').waitFor();
    await page.getByText('It concerns all tenants. Your account is limited to tenant-1.').waitFor();
    await visitor.expectFlawless('the system');
  });

  it('an auditor sees no button that changes something', async () => {
    const { page } = visitor;
    const user = await createResource(tenant.scim, '/Users', {
      schemas: [USER_URN],
      userName: 'alan@example.com',
    });
    await page.goto(`${url}/`);
    await signInAs({ ...ada, sub: 'alan', name: 'Alan', groups: ['support'] });
    await page.locator('.account-name').getByText('auditor').waitFor();
    await visitor.visit(`${at}/users/${user}`);
    expect(await page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    await visitor.visit(`${at}/setup?provider=okta`);
    expect(await page.getByRole('button', { name: /Create a key|Share setup link/ }).count()).toBe(
      0,
    );
    await page.getByText('Ask an admin').waitFor();
    await visitor.expectFlawless('the assistant');
  });

  it('a key needs a recent sign-in: by the admin token, or at the provider', async () => {
    const { page } = visitor;
    visitor.expectErrorOf(`/tenants/${tenant.slug}/api-keys`);
    await page.goto(`${url}/`);
    await signInAs(ada);
    await ageSessions();
    await visitor.visit(`${at}/settings/api-keys`);
    await createKey('Room bot');
    const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
    await asked.getByRole('button', { name: 'Continue with Acme login' }).waitFor();
    await visitor.picture('step up');
    await visitor.expectFlawless('the question');
    await visitor.confirmByToken(asked);
    await page.getByRole('dialog', { name: 'Key Room bot' }).waitFor();
    await page.getByLabel('I have stored the API key').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.account-name').getByText('Ada Lovelace').waitFor();
    await visitor.expectFlawless('the keys');

    await ageSessions();
    await createKey('Roster bot');
    // In a window of its own: what was begun continues.
    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      asked.getByRole('button', { name: 'Continue with Acme login' }).click(),
    ]);
    await page.getByRole('dialog', { name: 'Key Roster bot' }).waitFor();
    if (!other.isClosed()) await other.close();
    await visitor.expectFlawless('the key');
    await page.getByLabel('I have stored the API key').check();
    await page.getByRole('button', { name: 'Done' }).click();

    await ageSessions();
    provider.forge((claims, signingKey) =>
      signToken(signingKey, { ...claims, auth_time: undefined }),
    );
    await createKey('Rota bot');
    const [refused] = await Promise.all([
      page.waitForEvent('popup'),
      asked.getByRole('button', { name: 'Continue with Acme login' }).click(),
    ]);
    await refused.getByText('NO_RECENT_SIGN_IN', { exact: true }).waitFor();
    await refused.close();
    provider.forge(undefined);
    // The dialog has kept what was entered.
    await visitor.confirmByToken(asked);
    await page.getByRole('dialog', { name: 'Key Rota bot' }).waitFor();
  });

  it('the administrator of a customer connects their provider, and sees nothing else', async () => {
    const { page } = visitor;
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    const { address, copied, stored, step } = await openGuide(tenant.slug, {
      provider: 'okta',
      expires_in_hours: 24,
      integrations: true,
    });
    await page.getByRole('heading', { name: 'Copy the URL and a key to Okta' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    const sections = page.getByRole('navigation', { name: 'Sections' });
    expect(await page.getByRole('navigation').count()).toBe(1);
    expect(await sections.getByRole('link').allInnerTexts()).toEqual([
      'Identity provider',
      'Connections',
      'Users',
      'Rooms',
      'Webhooks',
    ]);
    await page.getByText(/^Your link works until/).waitFor();
    await visitor.expectFlawless('the assistant');
    await visitor.openHelp('Connect an identity provider');

    await page.getByRole('button', { name: 'Create a key for Okta' }).click();
    const key = await stored('OAuth Bearer Token');
    const okta = createClient(await copied('Base URL'), key);
    const agent = { 'user-agent': 'Okta SCIM Client 1.0.0' };
    await step('API key');
    expect(await page.locator('.step-done').count()).toBe(1);

    const filter = encodeURIComponent('userName eq "nobody@example.com"');
    await okta('GET', `/Users?filter=${filter}`, undefined, agent);
    await step('First request');
    await step('Test lookup of a user');
    await page.getByText('From Okta.', { exact: true }).waitFor();
    const user = { schemas: [USER_URN], userName: 'ada@example.com', displayName: 'Ada Lovelace' };
    const id = await createResource(okta, '/Users', user);
    await step('First user');
    const refused = { schemas: [GROUP_URN], displayName: 'Despatch', members: [{ value: id }] };
    expect((await okta('POST', '/Groups', refused)).status).toBe(404);
    await page.getByText('The last request was refused:').waitFor();
    await visitor.expectFlawless('a refusal');
    await okta('POST', '/Groups', { ...refused, displayName: 'Dispatch' });
    await step('First group');
    await okta('PATCH', `/Users/${id}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    });
    await step('Deactivation');
    expect(await page.locator('.step-done').count()).toBe(6);
    await visitor.picture('setup link');
    await visitor.expectFlawless('all steps');

    // They have the pages of operators, without what they may not change or read.
    await page.getByText(/ seats? taken$/).waitFor();
    await sections.getByRole('link', { name: 'Connections' }).click();
    const refusals = page.getByRole('table', { name: 'Refused changes' });
    await refusals.getByText('Despatch', { exact: true }).waitFor();
    await refusals.getByText(/^Give the group the name of a room/).waitFor();
    await visitor.picture('customer connections');
    await visitor.expectFlawless('the connections');
    const connection = page.getByRole('row', { name: /Okta, by setup link/ });
    await connection.getByRole('link').click();
    await page.getByRole('table', { name: 'Synchronisations' }).getByRole('cell').first().waitFor();
    await visitor.settle();
    await visitor.picture('customer connection');
    await visitor.expectFlawless('a connection');
    await sections.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await visitor.settle();
    await visitor.expectFlawless('the users');
    await sections.getByRole('link', { name: 'Rooms' }).click();
    await page.getByRole('link', { name: 'Dispatch', exact: true }).click();
    await page.getByRole('switch', { name: 'Ada Lovelace can transmit' }).waitFor();
    await visitor.settle();
    await visitor.picture('customer room');
    await visitor.expectFlawless('a room');
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page
      .getByText(/pushed|group "Dispatch"/)
      .first()
      .waitFor();
    await visitor.settle();
    expect(await page.getByRole('region').getByRole('link').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^(Edit|Deactivate)/ }).count()).toBe(0);
    await visitor.picture('customer people');
    await visitor.expectFlawless('a user');
    await sections.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByLabel('Endpoint URL').fill('https://hooks.example.com/rollgate');
    await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
    await page.getByLabel('I have stored the signing secret').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: /^Send a test to/ }).waitFor();
    await visitor.expectFlawless('the webhooks');

    for (const path of [`${at}/users`, '/operators', '/']) {
      await visitor.visit(path);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
    await visitor.visit('/guide');
    await page.getByText('Deactivated the user').waitFor();
    // A key that was lost is replaced.
    await page.getByRole('button', { name: 'Create another key' }).click();
    await page.getByText('The current key stops working at once.').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await stored('OAuth Bearer Token')).not.toBe(key);
    expect((await okta('GET', '/Users')).status).toBe(401);

    await page.getByRole('button', { name: 'Leave the guide' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.visit('/guide');
    await page.getByRole('heading', { name: 'The guide is closed' }).waitFor();
    await visitor.expectFlawless('the closed guide');

    // An operator who opens the link stays signed in.
    await page.goto(`${url}/`);
    await signInAs(ada);
    await page.goto(address);
    await page.getByText('You are signed in as Ada Lovelace.').waitFor();
    await visitor.picture('setup link of an operator');
    await visitor.expectFlawless('the question');
    await page.getByRole('button', { name: 'Stay in the dashboard' }).click();
    await page.locator('.shell').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard${at}/setup`);
    await page.goto(address);
    await page.getByRole('button', { name: 'Open the guide' }).click();
    await page.getByRole('button', { name: 'Leave the guide' }).waitFor();
    await visitor.picture('guide of an operator');
    await visitor.expectFlawless('the guide of an operator');
    await visitor.visit('/operators');
    await page.locator('.account-name').getByText('Ada Lovelace').waitFor();
    await visitor.visit('/guide');
    await page.getByRole('button', { name: 'Leave the guide' }).click();
    await page.locator('.account-name').getByText('Ada Lovelace').waitFor();

    await operator('DELETE', `/tenants/${tenant.slug}/setup-links`);
    const late = await Visitor.open(await browser(), url, VIEWS[2]);
    late.expectErrorOf('/setup-session');
    await late.page.goto(address);
    await late.page.getByText('This setup link has expired.').waitFor();
    await late.expectFlawless('the expired link');
    await late.close();
  });

  it.each(
    ['#ffee00', '#04050a'].flatMap((colour) => [
      [colour, VIEWS[0].name, VIEWS[0]] as const,
      [colour, VIEWS[1].name, VIEWS[1]] as const,
    ]),
  )('everything is readable with the accent colour %s, %s', async (colour, _name, view) => {
    await visitor.close();
    visitor = await Visitor.open(await browser(), url, view);
    await setAccent(colour);
    const where = (what: string) => `${what}, ${colour}, ${view.name}`;
    const { page } = visitor;
    await page.goto(`${url}/`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await visitor.expectFlawless(where('the sign-in'));
    await openGuide(tenant.slug, { provider: 'entra', integrations: true });
    await page.getByRole('button', { name: 'Create a key for Microsoft Entra ID' }).waitFor();
    await visitor.picture(where('accent'));
    await visitor.expectFlawless(where('the assistant'));
    for (const section of ['Connections', 'Users', 'Rooms', 'Webhooks']) {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: section }).waitFor();
      await visitor.settle();
      await visitor.expectFlawless(where(section));
    }
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('dialog').getByRole('checkbox').first().waitFor();
    await visitor.expectFlawless(where('a dialog'));
  });

  it('the administrator of a customer connects Entra by client credentials', async () => {
    const { page } = visitor;
    const { slug } = await gateway.tenant({ scim: { access_tokens: true } });
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${slug}/rooms`, { name: 'Dispatch' });
    const { copied, stored, step } = await openGuide(slug, { provider: 'entra' });
    const grant = page.getByRole('radio', { name: /^OAuth2 client credentials grant/ });
    expect(await grant.isChecked()).toBe(true);
    await page.getByText('A group is accepted if it has the name of a role').waitFor();
    await page.getByText(': Dispatch.').waitFor();

    await page.getByRole('button', { name: 'Create a key for Microsoft Entra ID' }).click();
    const client_secret = await stored('Client Secret');
    const [base, flag] = (await copied('Tenant URL')).split('?') as [string, string];
    const client = {
      endpoint: await copied('Token Endpoint'),
      client_id: await copied('Client Identifier'),
      client_secret,
    };
    /** Entra's generic application does not name itself. */
    const agent = { 'user-agent': '' };
    const fetchToken = async ({ endpoint, ...credentials }: typeof client) => {
      const form = { grant_type: 'client_credentials', ...credentials };
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...agent },
        body: new URLSearchParams(form),
      });
      return (await response.json()) as { readonly access_token?: string };
    };
    await fetchToken({ ...client, client_secret: client.client_secret.slice(0, -1) });
    const failed = page.getByText(/^A request was not authenticated at/);
    await failed.waitFor();
    await visitor.expectFlawless('a wrong secret');

    const entra = createClient(base, (await fetchToken(client)).access_token ?? '');
    const filter = encodeURIComponent('userName eq "d2f1c7b6-5f3e-4c55-9f77-0a6f0d8e3b11"');
    await entra('GET', `/Users?${flag}&filter=${filter}`, undefined, agent);
    await step('First request');
    await step('Test lookup of a user');
    await failed.waitFor({ state: 'detached' });
    await page.getByText('With this API key.', { exact: true }).waitFor();
    expect((await entra('POST', `/Users?${flag}`, ENTRA_USER, agent)).status).toBe(201);
    await step('First user');
    await visitor.picture('setup link entra');
    await visitor.expectFlawless('the first user');

    // What is not secret can be copied again.
    await page.reload();
    expect(await copied('Client Identifier')).toBe(client.client_id);
    await operator('PATCH', `/tenants/${slug}`, { scim: { access_tokens: false } });
    await page.reload();
    await page.getByText('Secret Token', { exact: true }).waitFor();
    await grant.check();
    await page.getByText('Ask your provider to switch them on').waitFor();
    await visitor.expectFlawless('no short-lived tokens');
  });
});

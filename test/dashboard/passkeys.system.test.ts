import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  buildSite,
  HAS_CHROMIUM,
  siteFolder,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';
import { createResource } from '../support/gateway.js';

const folder = siteFolder();
let database = '';
const gateway = useDashboardGateway(folder, (uri) => {
  database = uri;
  return {};
});
const browser = useBrowser();

/** Gives the browser an authenticator that verifies the person without asking. */
const plugIn = async ({ context, page }: Visitor): Promise<void> => {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
};

/** Creates a key when the sign-in is no longer recent; the question that comes first. */
const createKeyLate = async (visitor: Visitor, slug: string): Promise<Locator> => {
  const { page } = visitor;
  await visitor.ageSessions(database);
  visitor.expectErrorOf(`/tenants/${slug}/api-keys`);
  await visitor.visit(`/t/${slug}/settings/api-keys`);
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('dialog', { name: 'Create API key' }).getByLabel('Name').fill('Room bot');
  await page.keyboard.press('Enter');
  return page.getByRole('dialog', { name: 'Confirm your identity' });
};

describe.skipIf(!HAS_CHROMIUM)('passkeys in a browser', () => {
  beforeAll(() => buildSite(folder));

  it('are created after a link, sign in, confirm the identity in place, and are removed', async () => {
    const { url, setup } = await gateway.open();
    const { slug } = await gateway.tenant({ name: 'Northwind Rescue' });
    // Browsers have no passkeys for addresses.
    const base = url.replace('127.0.0.1', 'localhost');
    const visitor = await Visitor.open(await browser(), base, VIEWS[0]);
    const { page } = visitor;
    await plugIn(visitor);

    await page.goto((setup?.setupUrl ?? '').replace('127.0.0.1', 'localhost'));
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Your link worked once.').waitFor();
    await visitor.picture('passkey note');
    await visitor.expectFlawless('the note');
    await page.getByRole('link', { name: 'Create a passkey' }).click();
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    const creating = page.getByRole('dialog', { name: 'Create a passkey' });
    await creating.getByLabel('Name').fill('Laptop');
    await visitor.picture('passkey create');
    // As if they had cancelled the dialog of the browser.
    await page.evaluate(
      "navigator.credentials.create = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
    );
    await creating.getByRole('button', { name: 'Create passkey' }).click();
    expect(await creating.getByRole('alert').innerText()).toBe(
      'No passkey was created: the request was cancelled, or this device cannot create one.',
    );
    await visitor.expectFlawless('a cancelled passkey');
    await page.evaluate('delete navigator.credentials.create');
    await creating.getByRole('button', { name: 'Create passkey' }).click();
    await page.getByText('never used').waitFor();
    await visitor.picture('account');
    await visitor.expectFlawless('the account');
    expect(await page.getByText('Your link worked once.').count()).toBe(0);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await visitor.picture('passkey sign in');
    await visitor.expectFlawless('the sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.locator('.account-name').getByText('Ada Lovelace').waitFor();

    const asked = await createKeyLate(visitor, slug);
    await asked.getByRole('button', { name: 'Confirm with a passkey' }).waitFor();
    await visitor.picture('passkey step up');
    await visitor.expectFlawless('the question');
    await asked.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await page.getByRole('dialog', { name: 'Key Room bot' }).waitFor();
    await page.getByLabel('I have stored the API key').check();
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByRole('button', { name: 'Remove 1 passkey' }).click();
    // Their session was that of the passkey.
    visitor.expectErrorOf('/passkeys');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    visitor.expectErrorOf('/admin/v1/session');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey was not accepted').waitFor();
    await visitor.picture('passkey refused');
    await visitor.expectFlawless('the refusal');
    await visitor.close();
  });

  it('an operator without one confirms with a new link, in another tab', async () => {
    const { url } = await gateway.open();
    const operator = await gateway.operator();
    const { slug } = await gateway.tenant();
    const createOperator = (name: string) =>
      createResource(operator, '/operators', { name, role: 'admin' });
    const linkOf = async (id: string): Promise<string> => {
      const { body } = await operator<{ readonly url: string }>('POST', `/operators/${id}/link`);
      return body.url.replace('localhost', '127.0.0.1');
    };
    const grace = await createOperator('Grace Hopper');
    const alan = await createOperator('Alan Turing');
    const visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    const { page, context } = visitor;
    await visitor.signInBy(await linkOf(grace));

    const asked = await createKeyLate(visitor, slug);
    await asked.getByText(/^To continue, open a new sign-in link/).waitFor();
    await visitor.picture('link step up');
    await visitor.expectFlawless('the question');

    const other = await context.newPage();
    await other.goto(await linkOf(grace));
    await other.getByText('You are signed in as Grace Hopper.').waitFor();
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.locator('.shell').waitFor();
    await page.getByRole('dialog', { name: 'Key Room bot' }).waitFor();
    await visitor.expectFlawless('the key');

    // A link of someone else takes over only if it is asked to.
    const alans = await linkOf(alan);
    await other.goto(alans);
    await other.getByRole('button', { name: 'Keep this session' }).click();
    await other.locator('.account-name').getByText('Grace Hopper').waitFor();
    // Entered where another link is open.
    await other.goto(await linkOf(grace));
    await other.goto(alans);
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.locator('.account-name').getByText('Alan Turing').waitFor();
    await page.locator('.account-name').getByText('Alan Turing').waitFor();
    await visitor.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CHROMIUM, useBrowser, VIEWS, Visitor } from '../support/dashboard.js';
import { createDashboardWorld, type DashboardWorld } from '../support/dashboard-world.js';
import {
  createSettingsWorld,
  type SettingsWorld,
  useSettingsGateway,
} from '../support/dashboard-settings.js';

const site = useSettingsGateway();
const { gateway } = site;
const browser = useBrowser();
let world: DashboardWorld;
let settings: SettingsWorld;
let url: string;

const UNKNOWN_ID = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

/** Those that a customer may open, too. */
const FOR_CUSTOMERS = new Set([
  ...['user', 'users', 'users, none found', 'role of a user', 'rooms', 'room'],
  ...['connections', 'connection', 'identity provider', 'webhooks'],
]);

/** Every page, by its address; `$` is the tenant's. */
const PAGES: readonly (readonly [name: string, path: () => string])[] = [
  ['home', () => '$'],
  ['users', () => '$/users'],
  ['user', () => `$/users/${world.ada}?room=${world.dispatch}`],
  ['no such user', () => `$/users/${UNKNOWN_ID}`],
  ['users, none found', () => '$/users?q=zzzz'],
  ['users of a room', () => `$/users?room=${world.dispatch}&role=dispatcher&sort=-display_name`],
  ['role of a user', () => `$/users/${world.ada}?why=role`],
  ['rooms', () => '$/rooms'],
  ['room', () => `$/rooms/${world.dispatch}?user=${world.ada}`],
  ['log', () => '$/log'],
  ['log entry', () => `$/log/${world.refusal}`],
  ['live', () => '$/live'],
  ['requests', () => '$/requests'],
  ['request', () => `$/requests/${settings.request}`],
  ['no such request', () => `$/requests/${UNKNOWN_ID}`],
  ['connections', () => '$/connections'],
  ['connection', () => `$/connections/${world.tenant.keyId}`],
  ['no such connection', () => `$/connections/${UNKNOWN_ID}`],
  ['log of a cycle', () => '$/log?from=2026-11-22T12:00:00.000Z&until=2026-11-22T13:00:00.000Z'],
  ['identity provider', () => '$/setup?provider=okta'],
  ['directory roles', () => '$/admin/security/sso/directory-roles'],
  ['system', () => '/system'],
  ['tenants', () => '/tenants'],
  ['operators', () => '/operators'],
  ['operator log', () => '/operator-log'],
  ['notifications', () => '/notifications'],
  ['account', () => '/account'],
  ['groups', () => '$/groups'],
  ['group', () => `$/groups/${settings.group}`],
  ['sms lists', () => '$/sms-lists'],
  ['sms list', () => `$/sms-lists/${settings.smsList}`],
  ['sms recipients', () => `$/sms-lists/${settings.smsList}?at=2026-11-22T12:00`],
  ['sms import', () => `$/sms-lists/${settings.smsList}?import=1`],
  ['connectors', () => '$/connectors'],
  ['connector', () => '$/connectors/hr'],
  ['mapping', () => '$/connectors/hr/mapping'],
  ['held run', () => `$/connectors/hr?run=${settings.heldRun}`],
  ['events', () => '$/events'],
  ['tenant', () => '$/settings/tenant'],
  ['api keys', () => '$/settings/api-keys'],
  ['webhooks', () => '$/settings/webhooks'],
  ['webhook', () => `$/settings/webhooks/${settings.webhook}`],
  ['paused webhook', () => `$/settings/webhooks/${settings.paused}`],
  ['delivery', () => `$/settings/webhooks/${settings.webhook}?delivery=${settings.delivery}`],
  ['document', () => '/help/webhooks'],
  ['document with pictures', () => '/help/guides/README'],
  ['no such document', () => '/help/nothing'],
  ['no such page', () => '$/nothing'],
];

describe.skipIf(!HAS_CHROMIUM)('every page', () => {
  beforeAll(async () => {
    await site.prepare();
    world = await createDashboardWorld(gateway);
    settings = await createSettingsWorld(site, world.tenant);
    ({ url } = await gateway.open());
  });

  // Layout follows the width, contrast the colours: two of the four views show both.
  describe.each([VIEWS[0], VIEWS[3]])('in $name', (view) => {
    let visitor: Visitor;

    beforeAll(async () => {
      visitor = await Visitor.open(await browser(), url, view);
      visitor.expectErrorOf('/admin/v1/session');
      visitor.expectErrorOf(UNKNOWN_ID);
    });

    afterAll(() => visitor.close());

    it('sign-in is flawless', async () => {
      await visitor.page.goto(`${url}/`);
      await visitor.page.getByLabel('Admin token').waitFor();
      await visitor.expectFlawless('sign-in');
      await visitor.picture(`sign-in ${view.name}`);
      await visitor.signIn();
    });

    it.each(PAGES)('%s is flawless', async (name, path) => {
      await visitor.visit(path().replace('$', `/t/${world.tenant.slug}`));
      await visitor.picture(`${name} ${view.name}`);
      await visitor.expectFlawless(name);
      await visitor.expectNoSidewaysScroll(name);
      expect(await visitor.page.evaluate('"hacked" in globalThis')).toBe(false);
    });
  });

  it('has Help, which opens the section about it; documents link to each other', async () => {
    const visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();

    // When Help is opened on two pages
    await visitor.visit(`/t/${world.tenant.slug}/log`);
    await visitor.openHelp('Provisioning log, tenant data and explain', 'The provisioning log');
    await visitor.visit(`/t/${world.tenant.slug}/setup?provider=okta`);
    const guide = await visitor.openHelp('Connect an identity provider');

    // Then its links lead to other documents, and to nothing else in the repository
    await guide.getByRole('link', { name: 'more', exact: true }).click();
    await guide.getByRole('heading', { name: 'Operating Rollgate', level: 1 }).waitFor();
    const section = 'Limit what an identity provider can remove';
    await guide.getByRole('heading', { name: section }).waitFor();
    expect(await guide.locator('main a[href*=".md"], main a[href*="/src/"]').count()).toBe(0);
    await visitor.close();
  });

  describe('to operators who cannot see all of them', () => {
    /** Opens the dashboard as a new operator, with the API's responses of status 403. */
    const openAs = async (role: string, tenants: readonly string[] | null) => {
      const operator = await gateway.operator();
      const name = `${role} of ${tenants?.join() ?? 'all'}`;
      const created = await operator<{ id: string }>('POST', '/operators', { name, role, tenants });
      const link = await operator<{ url: string }>('POST', `/operators/${created.body.id}/link`);
      // Where the link leads, and its session is.
      const here = url.replace('127.0.0.1', 'localhost');
      const visitor = await Visitor.open(await browser(), here, VIEWS[0]);
      const refused: string[] = [];
      visitor.page.on('response', (response) => {
        if (response.status() === 403) refused.push(response.url());
      });
      await visitor.signInBy(link.body.url);
      return { visitor, refused };
    };
    const title = (visitor: Visitor) => visitor.page.locator('h1').innerText();

    it.each([
      ['auditor', null, ['mapping', 'operator log', 'operators', 'sms import']],
      ['operator', ['tenant-1'], ['notifications', 'operator log', 'operators', 'system']],
    ] as const)('%s: every page opens, or says why not', async (role, tenants, hidden) => {
      // Given an operator
      const { visitor, refused } = await openAs(role, tenants);
      visitor.expectErrorOf(UNKNOWN_ID);

      // When they open every address
      const closed: string[] = [];
      for (const [name, path] of PAGES) {
        await visitor.visit(path().replace('$', `/t/${world.tenant.slug}`));
        if ((await title(visitor)) === 'No access') closed.push(name);
      }

      // Then the API refuses nothing, and the dashboard explains the rest
      expect({ closed: closed.sort(), refused }).toEqual({ closed: hidden, refused: [] });
      await visitor.close();
    });

    it.each([VIEWS[0], VIEWS[3]])('customers: theirs are flawless in $name', async (view) => {
      // Given an administrator of a customer, who has opened a setup link
      const operator = await gateway.operator();
      const fields = { provider: 'okta', integrations: true };
      const links = `/tenants/${world.tenant.slug}/setup-links`;
      const { body } = await operator<{ url: string }>('POST', links, fields);
      const visitor = await Visitor.open(await browser(), url, view);
      await visitor.page.goto(body.url.replace('localhost', '127.0.0.1'));
      await visitor.page.getByRole('button', { name: 'Leave the guide' }).waitFor();

      // When they open their pages, then the API refuses nothing, or the console would have it
      for (const [name, path] of PAGES.filter(([one]) => FOR_CUSTOMERS.has(one))) {
        await visitor.visit(`/guide${path().replace('$', `/t/${world.tenant.slug}`)}`);
        await visitor.picture(`customer ${name} ${view.name}`);
        await visitor.expectFlawless(name);
        await visitor.expectNoSidewaysScroll(name);
      }

      // And another page leads to the first of theirs
      await visitor.visit(`/guide/t/${world.tenant.slug}/log`);
      await visitor.page.getByRole('heading', { name: 'Connect an identity provider' }).waitFor();
      await visitor.close();
    });

    it('explains why, and leads to what they can see', async () => {
      const { visitor, refused } = await openAs('auditor', ['tenant-1']);
      const { page } = visitor;
      for (const [path, reason, explanation] of [
        ['/operators', 'Your role auditor cannot see Operators', 'It requires the role owner.'],
        ['/system', 'You cannot see System', 'It concerns all tenants.'],
        ['/t/tenant-2/users', 'You cannot see the tenant tenant-2', 'It does not exist'],
        [
          `/t/tenant-1/sms-lists/${settings.smsList}?import=1`,
          'Your role auditor cannot see the import of numbers',
          'It requires the role operator.',
        ],
      ] as const) {
        await visitor.visit(path);
        await page.getByText(reason, { exact: true }).waitFor();
        await page.getByText(explanation).waitFor();
        await page.getByText('Ask an owner to change your account.').waitFor();
        await visitor.expectFlawless(path);
      }
      await visitor.visit('/t/tenant-2/users');
      await page.getByRole('link', { name: 'Users', exact: true }).click();
      await page.getByRole('cell', { name: /Ada Lovelace/ }).waitFor();
      expect(refused).toEqual([]);
      await visitor.close();
    });
  });
});

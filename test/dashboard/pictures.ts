import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import { connect } from '../../src/store/connect.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { useBrowser, VIEWS, Visitor } from '../support/dashboard.js';
import { useSettingsGateway } from '../support/dashboard-settings.js';
import { createDashboardWorld, type DashboardWorld } from '../support/dashboard-world.js';
import { eventually } from '../support/eventually.js';
import { createClient, createResource } from '../support/gateway.js';
import type { Person } from '../support/people-file.js';
import { openPublicAddress, type PublicAddress } from '../support/public-address.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

/** In the pictures, whatever port the test has. */
const HOST = 'rollgate.example.com';

let database = '';
const site = useSettingsGateway((uri) => {
  database = uri;
  return {
    ROLLGATE_PUBLIC_URL: `https://${HOST}`,
    ROLLGATE_BRANDING_NAME: 'Acme Voice',
    ROLLGATE_BRANDING_ACCENT: '#0b6e4f',
  };
});
const { gateway, people, receiver } = site;
let address: PublicAddress | undefined;
afterAll(() => address?.close());
const browser = useBrowser(() => address?.flags ?? []);
let world: DashboardWorld;
let heldRun: string;
let oktaKey: string;

const HOUR = 3_600_000;
const OKTA = { 'user-agent': 'Okta SCIM Client 1.0.0' };

const DRIVERS: readonly Person[] = [
  'Mary Jackson',
  'Annie Easley',
  'Joan Clarke',
  'Evelyn Boyd',
  'Ida Rhodes',
  'Jean Bartik',
  'Grete Hermann',
  'Hedy Lamarr',
  'Karen Jones',
  'Adele Goldberg',
].map((name, at) => ({
  id: String(4_711 + at),
  mail: `${name.toLowerCase().replace(' ', '.')}@example.com`,
  name,
  title: 'Driver',
  team: 'Night shift',
}));

/** What Okta does on a day: profiles change, a user leaves, a group without a room is refused. */
const playOkta = async (): Promise<void> => {
  const operator = await gateway.operator();
  const base = `/tenants/${world.tenant.slug}`;
  const { body: made } = await operator<{ key: string; key_id: string }>(
    'POST',
    `${base}/api-keys`,
    { description: 'Okta', scopes: ['scim:read', 'scim:write'] },
  );
  oktaKey = made.key_id;
  const { url } = await gateway.open();
  const okta = createClient(`${url}/v1/${world.tenant.slug}/scim/v2`, made.key);
  await okta('GET', '/Users?filter=userName%20eq%20%22nobody@example.com%22', undefined, OKTA);
  const change = (id: string, path: string, value: unknown) =>
    okta(
      'PATCH',
      `/Users/${id}`,
      { schemas: [PATCH_URN], Operations: [{ op: 'replace', path, value }] },
      OKTA,
    );
  const titles = ['Dispatcher', 'Paramedic', 'Shift lead', 'Pilot', 'Controller', 'Trainer'];
  for (let at = 0; at < 48; at += 1) {
    await change(at % 3 === 0 ? world.ada : world.grace, 'title', titles[(at * 5) % 6]);
    if (at % 7 === 0)
      await okta('POST', '/Users', { schemas: [USER_URN], userName: 'grace.hopper@example.com' });
  }
};

/** Spreads the logs of commands and events over the last day, in their order; creations, too. */
const spreadLogs = async (): Promise<void> => {
  const client = await connect(database);
  const { commandLog, events, users, rooms } = collectionsOf(client);
  const now = Date.now();
  /** Busier at some hours than at others. */
  const timeOf = (share: number): Date =>
    new Date(now - 22 * HOUR * (1 - share + 0.06 * Math.sin(share * 14)));
  const entries = await commandLog.find({}).sort({ at: 1, _id: 1 }).toArray();
  for (const [index, { _id, type, outcome, subject }] of entries.entries()) {
    const at = timeOf(index / entries.length);
    await commandLog.updateOne({ _id }, { $set: { at } });
    if (outcome !== 'applied') continue;
    const created = { $set: { createdAt: at } };
    if (type === 'user.create') await users.updateOne({ _id: subject?.id ?? '' }, created);
    if (type === 'room.create') await rooms.updateOne({ _id: subject?.id ?? '' }, created);
  }
  const all = await events.find({}).sort({ seq: 1 }).toArray();
  for (const [index, { _id }] of all.entries())
    await events.updateOne({ _id }, { $set: { at: timeOf(index / all.length) } });
  await client.close();
};

const runConnector = async (): Promise<string> => {
  const operator = await gateway.operator();
  const base = `/tenants/${world.tenant.slug}/connectors/hr/runs`;
  const { body } = await operator<RunView>('POST', base, {});
  await eventually(async () => {
    const read = await operator<RunView>('GET', `${base}/${body.id}`);
    expect(['done', 'held']).toContain(read.body.state);
  });
  return body.id;
};

/** Writes the pictures of the documentation (`npm run pictures`). */
describe('pictures', () => {
  beforeAll(async () => {
    await site.prepare();
    world = await createDashboardWorld(gateway, { isHostile: false });
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${world.tenant.slug}/webhooks`, {
      url: `${receiver.receiver().url}/rollgate`,
      events: ['*'],
      description: 'Badge system',
    });
    people.save(DRIVERS);
    await runConnector();
    people.save([{ ...DRIVERS[0]!, title: 'Dispatcher' }, ...DRIVERS.slice(7)]);
    heldRun = await runConnector();
    await playOkta();
    await spreadLogs();
    address = await openPublicAddress(HOST, (await gateway.open()).url);
  });

  const openAs = async (view: (typeof VIEWS)[number]): Promise<Visitor> => {
    const visitor = await Visitor.open(await browser(), `https://${HOST}`, view);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
    return visitor;
  };

  it.each([
    ['home', '', VIEWS[0]],
    ['home dark', '', VIEWS[1]],
    ['provisioning log', '/log', VIEWS[0]],
    ['connector', () => `/connectors/hr?run=${heldRun}`, VIEWS[0]],
    ['setup', () => `/setup?provider=okta&key=${oktaKey}`, VIEWS[0]],
  ] as const)('%s', async (name, path, view) => {
    const visitor = await openAs(view);
    await visitor.visit(`/t/${world.tenant.slug}${typeof path === 'string' ? path : path()}`);
    await visitor.picture(name);
    await visitor.expectFlawless(name);
    await visitor.close();
  });

  it('mapping of a connector', async () => {
    const visitor = await openAs(VIEWS[0]);
    await visitor.visit(`/t/${world.tenant.slug}/connectors/hr/mapping`);
    const { page } = visitor;
    await page
      .getByLabel('Options as YAML')
      .fill(
        'map:\n  title: role | title\n  displayName: { path: name, transform: [shout] }\n' +
          'groups:\n  - path: team\n',
      );
    await page.getByText('transform 1 is none of').waitFor();
    await page.evaluate('window.scrollTo(0, 250)');
    await visitor.picture('connector mapping');
    await visitor.close();
  });

  it('why not in a room', async () => {
    const visitor = await openAs(VIEWS[0]);
    await visitor.visit(`/t/${world.tenant.slug}/users/${world.ada}?room=${world.dispatch}`);
    await visitor.page.getByRole('region', { name: /not in the room/ }).waitFor();
    await visitor.picture('why not in a room');
    await visitor.close();
  });

  it('preview of a role mapping', async () => {
    const visitor = await openAs(VIEWS[0]);
    const dialog = await visitor.previewMapping(`/t/${world.tenant.slug}`, {
      group: 'Field teams',
      priority: 15,
    });
    await dialog
      .getByText(/change role/)
      .first()
      .waitFor();
    await visitor.picture('role mapping');
    await visitor.close();
  });

  it("a customer's page, with Entra", async () => {
    const { slug, keyId } = await gateway.tenant({
      name: 'Harbour Rescue',
      seat_capacity: 25,
      scim: { access_tokens: true },
    });
    const operator = await gateway.operator();
    await operator('DELETE', `/tenants/${slug}/api-keys/${keyId}`);
    for (const name of ['Dispatch', 'Night shift', 'Pilots'])
      await createResource(operator, `/tenants/${slug}/rooms`, { name });
    const { body: link } = await operator<{ readonly url: string }>(
      'POST',
      `/tenants/${slug}/setup-links`,
      { provider: 'entra', expires_in_hours: 168, integrations: true },
    );
    const visitor = await Visitor.open(await browser(), `https://${HOST}`, VIEWS[0]);
    const { page } = visitor;
    await page.goto(link.url);
    await page.setViewportSize({ width: 1000, height: 1310 });
    await page.getByRole('button', { name: 'Create a key for Microsoft Entra ID' }).click();
    const secret = await page.getByRole('dialog').locator('code').innerText();
    await page.getByLabel('I have stored').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Client Identifier').waitFor();
    const [, , id = ''] = await page.locator('.values code').allInnerTexts();
    const { url } = await gateway.open();
    const grant = await fetch(`${url}/v1/${slug}/oauth2/token`, {
      method: 'POST',
      headers: { 'user-agent': '' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
      }),
    });
    const { access_token: token } = (await grant.json()) as { readonly access_token: string };
    const scim = createClient(`${url}/v1/${slug}/scim/v2`, token);
    const entra = (method: string, path: string, body?: object) =>
      scim<{ readonly id: string }>(method, path, body, { 'user-agent': '' });
    await entra('GET', '/Users?filter=userName%20eq%20%22d2f1c7b6%22');
    const { body: dorothy } = await entra('POST', '/Users', {
      schemas: [USER_URN],
      userName: 'dorothy.vaughan@example.com',
      displayName: 'Dorothy Vaughan',
    });
    await page.locator('.step-done').filter({ hasText: 'First user' }).waitFor();
    await page.evaluate(
      "document.querySelectorAll('section')[1].scrollIntoView({ block: 'start' })",
    );
    await visitor.picture('customer connect');

    const members = [{ value: dorothy.id }];
    await entra('POST', '/Groups', { schemas: [GROUP_URN], displayName: 'Dispatch', members });
    for (const displayName of ['Nightshift', 'Nightshift', 'All staff'])
      await entra('POST', '/Groups', { schemas: [GROUP_URN], displayName, members });
    await page.setViewportSize({ width: 1000, height: 900 });
    const show = async (section: string): Promise<void> => {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: section }).waitFor();
    };
    await show('Connections');
    await page.getByRole('cell', { name: '7', exact: true }).waitFor();
    await visitor.picture('customer connections');
    await show('Rooms');
    await page.getByRole('link', { name: 'Dispatch', exact: true }).click();
    await page.getByRole('link', { name: 'Dorothy Vaughan' }).click();
    await page
      .getByText(/group "Dispatch"/)
      .first()
      .waitFor();
    await page.evaluate('window.scrollTo(0, 0)');
    await visitor.picture('customer people');
    await visitor.close();
  });
});

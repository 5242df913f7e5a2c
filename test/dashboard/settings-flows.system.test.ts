import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HAS_CHROMIUM, useBrowser, VIEWS, Visitor } from '../support/dashboard.js';
import { useSettingsGateway } from '../support/dashboard-settings.js';
import { eventually } from '../support/eventually.js';
import { createResource, type TestTenant } from '../support/gateway.js';
import { somePeople } from '../support/people-file.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

const site = useSettingsGateway();
const { gateway, people, receiver } = site;
const browser = useBrowser();
let tenant: TestTenant;
let url: string;
let visitor: Visitor;
let at: string;

const createUser = (name: string): Promise<string> =>
  createResource(tenant.scim, '/Users', {
    schemas: [USER_URN],
    userName: `${name}@example.com`,
    displayName: name,
  });

describe.skipIf(!HAS_CHROMIUM)('an operator', () => {
  beforeAll(async () => {
    await site.prepare();
    tenant = await gateway.tenant({ name: 'Northwind Rescue' });
    ({ url } = await gateway.open());
    at = `/t/${tenant.slug}`;
  });

  beforeEach(async () => {
    visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
  });

  afterEach(() => visitor.close());

  it('edits a tenant as a file', async () => {
    // Given the file of the tenant
    const { page } = visitor;
    await visitor.visit(`${at}/settings/tenant`);
    await page.getByRole('link', { name: 'Edit as file' }).click();
    const editor = page.getByLabel('Tenant as JSON');
    const file = JSON.parse(await editor.inputValue()) as Record<string, unknown>;
    expect(file).toMatchObject({ slug: tenant.slug, name: 'Northwind Rescue', rooms: [] });

    // When it has a room more, seats that the gateway refuses, and then valid ones
    const rooms = [{ name: 'Harbour', mapping: null }];
    visitor.expectErrorOf(`/admin/v1/tenants/${tenant.slug}`);
    await editor.fill(JSON.stringify({ ...file, rooms, seat_capacity: -1 }));
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByText('INVALID_REQUEST').waitFor();
    expect(await page.getByRole('button', { name: 'Make 2 changes' }).isDisabled()).toBe(true);
    await editor.fill(JSON.stringify({ ...file, rooms, seat_capacity: 70 }));
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByRole('region', { name: 'Create room Harbour' }).waitFor();
    await visitor.picture('flow tenant file');
    await visitor.expectFlawless('a tenant as a file');
    await page.getByRole('button', { name: 'Make 2 changes' }).click();

    // Then the tenant is what the file says
    await page.getByText('Made 2 changes').waitFor();
    const read = await gateway.operator();
    expect(await read('GET', `/tenants/${tenant.slug}`)).toMatchObject({
      body: { seat_capacity: 70 },
    });
    expect(await read('GET', `/tenants/${tenant.slug}/rooms`)).toMatchObject({
      body: { rooms: [{ name: 'Harbour' }] },
    });
  });

  it('raises the seats without a search for the button', async () => {
    // Given the page of the settings, which is longer than the window
    const { page } = visitor;
    await visitor.visit(`${at}/settings/tenant`);

    // When the seats are changed
    await page.getByLabel('Seats').fill('80');

    // Then what saves them is in view, and so is what they change
    const isInView = async (name: string) => {
      const box = await page.getByRole('button', { name }).boundingBox();
      return box !== null && box.y + box.height <= VIEWS[0].viewport.height;
    };
    expect(await isInView('Preview')).toBe(true);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor();
    expect(await isInView('Save changes')).toBe(true);
    await visitor.expectFlawless('changed settings');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved the settings').waitFor();
  });

  it('creates an API key, uses it, rotates it, and deletes the old one', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/settings/api-keys`);
    await page.getByRole('button', { name: 'Create key' }).focus();
    await page.keyboard.press('Enter');
    const creating = page.getByRole('dialog', { name: 'Create API key' });
    await creating.getByLabel('Name').fill('Room bot');
    await creating.getByLabel('Room sync').check();
    expect(await creating.getByLabel('Write Rooms').isChecked()).toBe(true);
    expect(await creating.getByLabel('Write SCIM').isChecked()).toBe(false);
    await creating.getByLabel('Write Rooms').uncheck();
    expect(await creating.getByLabel('Custom').isChecked()).toBe(true);
    await visitor.picture('flow new key');
    await visitor.expectFlawless('the new key');
    await creating.getByLabel('Expires').fill('2099-01-31T12:00');
    await creating.getByRole('button', { name: 'Create key' }).click();

    const shown = page.getByRole('dialog', { name: 'Key Room bot' });
    const key = await shown.locator('.secret code').innerText();
    await shown.getByRole('button', { name: 'Copy the API key' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.keyboard.press('Escape');
    expect(await shown.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await shown.getByLabel('I have stored the API key').check();
    await visitor.picture('flow key shown');
    await visitor.expectFlawless('the key, once');
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Users read Rooms read', exact: true }).waitFor();

    const bot = await gateway.tenantWithKey(tenant.slug, key);
    expect(await bot.native('GET', '/rooms')).toMatchObject({ status: 200 });
    expect(await bot.native('GET', '/sms-lists')).toMatchObject({ status: 403 });

    await visitor.choose(/^Actions for key Room bot/, 'Rotate');
    const rotating = page.getByRole('dialog', { name: 'Rotate key Room bot' });
    await visitor.expectFlawless('the rotation');
    await rotating.getByRole('button', { name: 'Create new key' }).click();
    const renewed = page.getByRole('dialog', { name: 'New key Room bot' });
    const next = await renewed.locator('.secret code').innerText();
    await renewed.getByLabel('I have stored the API key').check();
    await renewed.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Key Room bot is being rotated.').waitFor();
    for (const valid of [key, next]) {
      const client = await gateway.tenantWithKey(tenant.slug, valid);
      expect(await client.native('GET', '/rooms')).toMatchObject({ status: 200 });
    }

    await page.getByRole('button', { name: /^Delete the old key/ }).click();
    const prefix = key.slice(0, 11);
    await page.getByRole('button', { name: `Delete key Room bot (${prefix}…)` }).click();
    await page.getByText('Key Room bot is being rotated.').waitFor({ state: 'detached' });
    expect(await bot.native('GET', '/rooms')).toMatchObject({ status: 401 });
    const renewedBot = await gateway.tenantWithKey(tenant.slug, next);
    expect(await renewedBot.native('GET', '/rooms')).toMatchObject({ status: 200 });

    await page.getByRole('link', { name: 'test', exact: true }).click();
    await page.getByRole('button', { name: 'Allow removals' }).click();
    await page
      .getByRole('button', { name: 'Allow key test unlimited removals for 1 hour' })
      .click();
    await page.getByRole('status').getByText('can remove any number').waitFor();
    await visitor.expectFlawless('the keys');
  });

  it('gets a new key although the dialog was dismissed, and the page left, while it was created', async () => {
    const { page } = visitor;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api-keys', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    await visitor.visit(`${at}/settings/api-keys?create=yes`);
    const creating = page.getByRole('dialog', { name: 'Create API key' });
    await creating.getByLabel('Name').fill('Late');
    await page.keyboard.press('Enter');
    await creating
      .getByRole('button', { name: 'Create key' })
      .and(page.locator('[aria-busy]'))
      .waitFor();
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
    expect(await creating.isVisible()).toBe(true);
    expect(await creating.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await page.evaluate(`history.pushState(null, '', '/dashboard${at}/users')`);
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    release();
    const shown = page.getByRole('dialog', { name: 'Key Late' });
    expect(await shown.locator('.secret code').innerText()).toMatch(/^rg_/);
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
    expect(await shown.isVisible()).toBe(true);
  });

  it('adds a webhook, tests it, and redelivers what failed', async () => {
    const { page } = visitor;
    receiver.receiver().setBehaviour({ kind: 'answer', status: 503, body: 'not today' });
    await visitor.visit(`${at}/settings/webhooks`);
    await page.getByText('No webhooks yet').waitFor();
    await visitor.expectFlawless('no webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const adding = page.getByRole('dialog', { name: 'Add webhook' });
    await adding.getByLabel('Endpoint URL').fill(`${receiver.receiver().url}/hooks`);
    await adding.getByLabel('Name').fill('Badge system');
    await adding.getByLabel('All events, including').uncheck();
    await adding.getByLabel('Users: all').check();
    await adding.getByRole('button', { name: 'Add header' }).click();
    await adding.getByLabel('Name of header 1').fill('X-Api-Key');
    await adding.getByLabel('Value of header 1').fill('for-the-proxy');
    await visitor.picture('flow new webhook');
    await visitor.expectFlawless('the new webhook');

    // An error about the events, as of a dashboard that is older than the gateway, is shown there, once.
    visitor.expectErrorOf('/webhooks');
    const withUnknownEvent = (text: string | null) => text?.replace('user.*', 'unknown.*') ?? '';
    await page.route(
      '**/webhooks',
      (route) => route.continue({ postData: withUnknownEvent(route.request().postData()) }),
      { times: 1 },
    );
    await adding.getByRole('button', { name: 'Add webhook' }).click();
    await adding.getByRole('group', { name: 'Events' }).getByRole('alert').waitFor();
    expect(await adding.getByRole('alert').count()).toBe(1);
    await adding.getByRole('button', { name: 'Add webhook' }).click();
    const shown = page.getByRole('dialog', { name: 'Signing secret' });
    const secret = await shown.locator('.secret code').innerText();
    await shown.getByLabel('I have stored the signing secret').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'Badge system' }).waitFor();

    await page.getByRole('button', { name: 'Send test' }).click();
    const tested = page.getByRole('dialog', { name: 'Test result' });
    await tested.getByText('The receiver rejected the test with 503.').waitFor();
    await tested.getByText('not today').waitFor();
    await visitor.picture('flow webhook test');
    await visitor.expectFlawless('the refused test');
    await tested.getByRole('button', { name: 'Close' }).last().click();

    await createUser('ada');
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh deliveries' }).click();
      expect(await page.getByRole('cell', { name: 'Failed' }).count()).toBe(1);
    });
    await page.getByText('Last 24 hours').waitFor();
    await page
      .getByRole('img', { name: /^Last 24 hours: 0% of \d attempts? succeeded$/ })
      .waitFor();
    await visitor.picture('webhook failing');
    await visitor.expectFlawless('the failing webhook');
    await page.getByRole('cell', { name: 'user.created ada' }).waitFor();
    const failure = page.locator('.note-bad');
    await failure.getByText('The receiver responded with 503.').waitFor();
    await failure.getByRole('link', { name: 'See the attempt' }).click();
    await page.getByRole('region', { name: 'the response' }).getByText('not today').waitFor();
    await page.getByRole('region', { name: 'the event' }).getByText('"seq": 1').waitFor();
    const before = receiver.receiver().requests.length;
    receiver.receiver().setBehaviour({ kind: 'answer', status: 200, body: 'ok' });
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('Attempt 3', { exact: false }).waitFor();
    await page.locator('.page-head').getByText('Delivered').waitFor();
    const [received] = (await receiver.receiver().received(before + 1)).slice(before);
    expect(received?.hasValidSignature(secret)).toBe(true);
    expect(received?.headers['x-api-key']).toBe('for-the-proxy');
    await visitor.expectFlawless('the delivery');
  });

  it('recovers failed deliveries, rotates the secret, pauses and deletes', async () => {
    const { page } = visitor;
    receiver.receiver().setBehaviour({ kind: 'answer', status: 500 });
    await createUser('bob');
    await createUser('cid');
    await visitor.visit(`${at}/settings/webhooks`);
    await page.getByRole('link', { name: 'Badge system' }).click();
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh deliveries' }).click();
      expect(await page.getByRole('cell', { name: 'Failed' }).count()).toBe(2);
    });
    let release = (): void => undefined;
    const after = new Promise<void>((resolve) => (release = resolve));
    receiver.receiver().setBehaviour({ kind: 'answer', status: 200, after });
    await page.getByRole('button', { name: 'Send again now' }).click();
    const recovering = page.getByRole('dialog', { name: 'Send again now' });
    await recovering.getByText('0 deliveries waiting for a retry').waitFor();
    await recovering.getByText('2 deliveries failed since then').waitFor();
    await visitor.expectFlawless('the recovery');
    await recovering.getByRole('button', { name: 'Send 2 deliveries' }).click();
    const running = page.getByRole('dialog', { name: 'Sending again' });
    await running.getByText('Done. Queued 2 deliveries').waitFor();
    await running.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('cell', { name: 'Retrying' }).nth(1).waitFor();
    release();
    // The page follows them.
    await page.getByRole('cell', { name: 'Delivered' }).nth(2).waitFor();
    await page.locator('.page-head').getByText('Delivering').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    const changing = page.getByRole('dialog', { name: 'Edit Badge system' });
    await changing.getByLabel('Name', { exact: true }).fill('Badges');
    await changing.getByRole('button', { name: /^Remove header x-api-key$/i }).click();
    await visitor.expectFlawless('the change');
    await changing.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('default headers only').waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const rotating = page.getByRole('dialog', { name: 'Rotate the signing secret of Badges' });
    await rotating.getByText('X-Service-Signature-Next').waitFor();
    await visitor.picture('flow rotate secret');
    await visitor.expectFlawless('the rotation');
    await rotating.getByRole('button', { name: 'Create new secret' }).click();
    const renewed = page.getByRole('dialog', { name: 'New signing secret' });
    await renewed.getByLabel('I have stored the new signing secret').check();
    await renewed.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Pause' }).click();
    const pausing = page.getByRole('dialog', { name: 'Pause Badges?' });
    await pausing.getByText('Events are dropped while the webhook is paused.').waitFor();
    await visitor.expectFlawless('the pause');
    await pausing.getByRole('button', { name: 'Pause webhook Badges' }).click();
    await page.getByText('Events are being dropped.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Events are being dropped.').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook Badges' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('link', { name: 'event feed' }).click();
    await page.getByRole('link', { name: 'user.created' }).first().click();
    const event = page.getByRole('dialog', { name: 'Event 3' });
    await event.getByText('"display_name": "cid"').waitFor();
    await visitor.expectFlawless('an event');
  });

  it('changes the settings of a tenant after a preview, and deletes the tenant', async () => {
    const { page } = visitor;
    const own = await gateway.tenant({ name: 'Harbour Rescue', seat_capacity: 5 });
    const read = async () => {
      const operator = await gateway.operator();
      const { status, body } = await operator('GET', `/tenants/${own.slug}`);
      return { status, ...body };
    };
    await visitor.visit(`/t/${own.slug}/settings/tenant`);
    await page.getByLabel('Seats').fill('40');
    await page.getByLabel('Create the room').check();
    await page.getByLabel('Leave them out').check();
    await page.getByLabel('SCIM removals per hour').fill('50');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: /^Save changes/ }).waitFor();
    await visitor.picture('flow tenant settings');
    await visitor.expectFlawless('the changed settings');
    expect(await read()).toMatchObject({ seat_capacity: 5, room_provisioning: 'manual' });
    await page.getByRole('button', { name: /^Save changes/ }).click();
    await page.getByRole('status').getByText('Saved the settings').waitFor();
    expect(await read()).toMatchObject({
      seat_capacity: 40,
      room_provisioning: 'automatic',
      scim: { unknown_members: 'skip', max_removals_per_hour: 50, strict_errors: false },
    });

    await page.getByRole('button', { name: 'Delete tenant…' }).click();
    const deleting = page.getByRole('dialog', { name: 'Delete Harbour Rescue?' });
    const confirm = deleting.getByRole('button', { name: 'Delete tenant Harbour Rescue' });
    expect(await confirm.isDisabled()).toBe(true);
    await deleting.getByLabel(`Type ${own.slug} to confirm`).fill(own.slug);
    await visitor.expectFlawless('the deletion');
    await confirm.click();
    await page.getByRole('status').getByText('Deleted tenant Harbour Rescue').waitFor();
    expect(await read()).toMatchObject({ status: 404 });
  });

  it('keeps a limit that is overwritten by what is no number', async () => {
    const { page } = visitor;
    const own = await gateway.tenant({ seat_capacity: 5, scim: { max_removals_per_hour: 40 } });
    await visitor.visit(`/t/${own.slug}/settings/tenant`);
    for (const [label, text, saved] of [
      ['Seats', '10-', '5'],
      ['SCIM removals per hour', 'e', '40'],
    ] as const) {
      const field = page.getByLabel(label);
      await field.fill('');
      await field.pressSequentially(text);
      let previews = 0;
      page.on('request', (request) => (previews += request.method() === 'PATCH' ? 1 : 0));
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await page.locator('input:invalid').count()).toBe(1);
      expect(previews).toBe(0);
      await field.fill(saved);
    }
    expect(await page.getByRole('button', { name: 'Preview' }).count()).toBe(0);
  });

  it('saves the settings that they changed, not those that another tab changed', async () => {
    // Given two tabs with the settings of a tenant
    const { page } = visitor;
    const own = await gateway.tenant({ seat_capacity: 5 });
    const path = `/tenants/${own.slug}`;
    const operator = await gateway.operator();
    await visitor.visit(`/t/${own.slug}/settings/tenant`);
    await operator('PATCH', path, { scim: { max_removals_per_hour: 12 } });

    // When the other changes another setting
    await page.getByLabel('SCIM errors with the attributes').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('row', { name: /scim\.strict_errors.*false.*true/ }).waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved the settings').waitFor();

    // Then both are saved
    expect(await operator('GET', path)).toMatchObject({
      body: { scim: { max_removals_per_hour: 12, strict_errors: true } },
    });
  });

  it('renames a room, maps it to a group, unmaps it, and deletes it', async () => {
    const { page } = visitor;
    const operator = await gateway.operator();
    const room = await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Quay' });
    await visitor.visit(`${at}/rooms/${room}`);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog', { name: 'Rename Quay' }).getByLabel('Name').fill('Pier');
    await page.getByRole('button', { name: 'Rename room' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pier' }).waitFor();
    await page.getByRole('button', { name: 'Map to group' }).click();
    const mapping = page.getByRole('dialog', { name: 'Map Pier to a group' });
    await mapping.getByLabel('Group').fill('Harbour crew');
    await visitor.expectFlawless('the mapping');
    await mapping.getByRole('button', { name: 'Map room' }).click();
    await page.getByRole('link', { name: 'Harbour crew' }).first().waitFor();
    await page.getByRole('button', { name: 'Unmap' }).click();
    await page.getByRole('button', { name: 'Unmap room Pier' }).click();
    await page.getByText('not mapped').first().waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete room Pier' }).click();
    await page.getByRole('status').getByText('Deleted room Pier').waitFor();
    expect(await operator('GET', `/tenants/${tenant.slug}/rooms/${room}`)).toMatchObject({
      status: 404,
    });
  });

  it('imports numbers after a preview of every row', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/sms-lists`);
    await page.getByRole('button', { name: 'Create list' }).click();
    const creating = page.getByRole('dialog', { name: 'Create SMS list' });
    await creating.getByLabel('Name').fill('Night desk');
    await visitor.expectFlawless('the new list');
    await creating.getByRole('button', { name: 'Create list' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night desk' }).waitFor();

    await page.getByRole('button', { name: 'Add number' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a number to Night desk' });
    await adding.getByLabel('Phone number').fill('+49 30 90182010');
    await adding.getByLabel('Name').fill('Ada');
    await adding.getByRole('button', { name: 'Add number' }).click();
    await page.getByRole('cell', { name: '+49•••••••10' }).waitFor();

    await page.getByRole('button', { name: 'Import CSV' }).click();
    await page.getByLabel('CSV file').setInputFiles({
      name: 'desk.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'Phone number;Name;Valid until\n' +
          '+49 30 90182010;"Ada; Countess";\n' +
          '+44 20 7946 0018;Harbour;2999-01-01\n' +
          'call me;Nobody;\n' +
          '+44 20 7946 0018;Twice;\n',
      ),
    });
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('1 new, 1 changed, 0 unchanged, 2 invalid').waitFor();
    await page.getByText('must be a phone number with a country code').waitFor();
    await page.getByText('same number as line 3').waitFor();
    await page
      .getByRole('row', { name: /Ada; Countess/ })
      .getByText('Changed')
      .waitFor();
    await page
      .getByRole('row', { name: /Harbour/ })
      .getByText('New')
      .waitFor();
    await visitor.picture('flow import preview');
    await visitor.expectFlawless('the preview');
    const operator = await gateway.operator();
    const lists = await operator('GET', `/tenants/${tenant.slug}/sms-lists`);
    expect(lists).toMatchObject({ body: { sms_lists: [{ member_count: 1 }] } });

    await page.getByRole('button', { name: 'Import 2 numbers' }).click();
    await page.getByRole('status').getByText('1 added, 1 changed').waitFor();
    await page.getByRole('cell', { name: 'Ada; Countess', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Import CSV' }).click();
    await page.getByLabel('Or paste CSV').fill('+44 20 7946 0018,Harbour');
    await page.getByLabel('Replace the list').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: /remove 1$/ }).click();
    await page
      .getByRole('cell', { name: 'Ada; Countess', exact: true })
      .waitFor({ state: 'detached' });

    await page.getByLabel('Recipients at').fill('2026-11-22T12:00');
    await page.getByRole('heading', { name: 'Recipients at this time' }).waitFor();
    await page.getByRole('cell', { name: '+44•••••••18' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const changing = page.getByRole('dialog', { name: 'Edit Night desk' });
    await changing.getByLabel('Valid until').fill('2026-01-01T00:00');
    await changing.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('No recipients at this time').waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete list Night desk with 1 number' }).click();
    await page.getByText('No SMS lists yet').waitFor();
    await visitor.expectFlawless('no lists');
  });

  it('tries the rules of a connector on a sample, and copies what the configuration needs', async () => {
    const { page } = visitor;
    const existing = await createUser('person-0');
    people.save(somePeople(10));
    // When they open the mapping of the connector
    await visitor.visit(`${at}/connectors/hr`);
    await page.getByRole('button', { name: 'Mapping' }).click();

    // Then the fields are beside the user that results, and beside the one that exists
    const source = page.getByRole('region', { name: 'Source' });
    const user = page.getByRole('region', { name: 'User', exact: true });
    await source.getByText('Mary Person 0').waitFor();
    await user.getByText('Matched').waitFor();
    await user.getByRole('link', { name: 'person-0' }).waitFor();
    await page.getByText('Record 4700, 1 of 10').waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await user.getByText('No existing user').waitFor();
    await visitor.expectFlawless('the mapping');
    await page.setViewportSize({ width: 360, height: 740 });
    const heading = await page.getByRole('heading', { name: 'Sample', exact: true }).boundingBox();
    expect(heading?.height).toBeLessThan(40);
    await visitor.picture('flow mapping small');
    await page.setViewportSize(VIEWS[0].viewport);
    await visitor.picture('flow mapping');

    // When they edit the options, errors are below them at once, with their lines
    const options = page.getByLabel('Options as YAML');
    expect(await options.inputValue()).toMatch(
      /^# Rules of the connector itself[^]*\n# {3}title: title\n[^]*\nmap: \{\}\n/,
    );
    await options.fill('map:\n  title: { path: name, transform: [shout] }\n');
    await page.getByText('transform 1 is none of trim').waitFor();
    await visitor.expectFlawless('an error of a rule');
    await page.getByRole('button', { name: 'Line 2' }).click();
    expect(await page.evaluate('getSelection().toString()')).toContain('title: { path');
    visitor.expectErrorOf('/mapping/preview');
    await options.fill('map:\n  title: [\n');
    await page.getByText(/^Line \d: /).waitFor();
    const map = 'map:\n  title: { path: name, transform: [upper], required: true }\n';
    await options.fill(map);
    await user.getByText('ANNIE PERSON 1', { exact: true }).waitFor();
    expect(await page.getByText(/^Line \d/).count()).toBe(0);
    await page.getByRole('button', { name: 'Copy the options' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(map);

    // When they try one person, and a file of their own
    await page.getByLabel('Try one person').fill('nobody');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByText('The source has no record with this id.').waitFor();
    await page.getByLabel('CSV or JSON file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Mail;Name\nzoe@example.com;Zoe\n'),
    });
    await user.getByText('ZOE', { exact: true }).waitFor();
    await page.getByText('From people.csv. It is not stored.').waitFor();

    // Then nothing was written
    expect(await tenant.native('GET', '/users?email=person-1@example.com')).toMatchObject({
      body: { total: 0 },
    });
    await visitor.expectFlawless('a file');
    // The next flow creates them.
    expect(await tenant.scim('DELETE', `/Users/${existing}`)).toMatchObject({ status: 204 });
  });

  it('approves a held run after its plan, person by person', async () => {
    const { page } = visitor;
    const all = somePeople(10);
    people.save([
      ...all,
      { id: 'late', mail: 'late@example.com', name: 'Late Starter', start: 'soon' },
    ]);
    await tenant.scim('POST', '/Users', {
      schemas: [USER_URN],
      userName: 'only-here@example.com',
      displayName: 'W'.repeat(200),
    });
    await visitor.visit(`${at}/connectors`);
    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Check source' }).click();
    await page.getByRole('status').getByText('11 people.').waitFor();
    await page.getByRole('button', { name: 'Plan only' }).click();
    const planning = page.getByRole('dialog', { name: 'Plan a run of hr' });
    await visitor.expectFlawless('the question');
    await planning.getByRole('button', { name: 'Plan run' }).click();
    await page.getByText('10 people get accounts.').waitFor();
    await page.getByText('No record matches an existing user').waitFor();
    expect(await page.getByRole('row').count()).toBe(0);
    await page.getByRole('link', { name: 'How records are matched with users' }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await visitor.expectNoSidewaysScroll('the first plan');
    await visitor.picture('flow first plan small');
    await page.setViewportSize(VIEWS[0].viewport);
    expect(await tenant.native('GET', '/users?email=person-0@example.com')).toMatchObject({
      body: { total: 0 },
    });

    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Applied').first().waitFor();
    await page.getByRole('heading', { name: 'Changes' }).waitFor();
    await page.locator('.page-head').getByText('Done, 1 failed').waitFor();
    await page.getByText('1 record has failed and is in quarantine.').waitFor();

    people.save([{ ...all[0]!, title: 'Dispatcher' }, ...all.slice(7)]);
    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('row', { name: /late/ }).getByText('DATE').waitFor();
    await page.getByRole('button', { name: /^Ignore .*late/i }).click();
    await page.getByRole('row', { name: /late/ }).getByText('Ignored').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByText('This plan needs approval.').waitFor();
    // Absences take nothing away yet, and people are named only on request.
    await page.getByText('6 people are missing for the first time.').waitFor();
    expect(await page.getByText('Person 0').count()).toBe(0);
    await page.getByRole('button', { name: 'Show people: 1 person is changed.' }).click();
    const changed = page.getByRole('row', { name: /Person 0/ });
    await changed.getByText('Changes title.').waitFor();
    await changed.getByText('Driver').waitFor();
    await changed.getByText('Dispatcher').waitFor();
    await visitor.picture('flow held run');
    await visitor.expectFlawless('the held run');
    const approve = page.getByRole('button', { name: 'Approve for 1 person' });
    expect(await approve.getAttribute('class')).not.toContain('danger');
    await approve.click();
    await visitor.expectFlawless('the approval');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve for 1 person' }).click();
    await page.locator('.page-head').getByText('Done').waitFor();

    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByText('This plan needs approval.').waitFor();
    await visitor.visit(at);
    await page.getByRole('link', { name: /^A run of the connector hr waits for approval/ }).click();
    await page.getByText('6 people lose access.').waitFor();
    const danger = page.getByRole('button', { name: 'Approve for 6 people' });
    expect(await danger.getAttribute('class')).toContain('danger');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject the plan' }).click();
    await page.locator('.page-head').getByText('Rejected').waitFor();

    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.page-head').getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.page-head').getByText('Ready').waitFor();
    await visitor.expectFlawless('the connector');
  });

  it('sees which identity provider is refused, why, and in which cycle', async () => {
    const { page } = visitor;
    const other = await gateway.tenant();
    const entra = { 'user-agent': 'Microsoft Azure AD SCIM provisioning 1.0.0' };
    const body = { schemas: [USER_URN], userName: 'cai@example.com' };
    expect(await other.scim('POST', '/Users', body, entra)).toMatchObject({ status: 201 });
    expect(await other.scim('POST', '/Users', body, entra)).toMatchObject({ status: 409 });
    const stranger = await gateway.tenantWithKey(other.slug, tenant.key);
    expect(await stranger.scim('GET', '/Users')).toMatchObject({ status: 401 });

    // When they open the connections
    await visitor.visit(`/t/${other.slug}/connections`);
    await page.getByText('The last request was refused: ').waitFor();
    const failure = page.getByRole('row', { name: 'The key belongs to another tenant.' });
    await failure.getByText('127.0.0.1').waitFor();
    await visitor.picture('flow connections');
    await visitor.expectFlawless('the connections');

    // Then one of them has the reason, and its cycle opens the log
    await page.getByRole('link', { name: 'Microsoft Entra' }).click();
    await page.getByRole('heading', { name: 'Microsoft Entra' }).waitFor();
    await page.getByText('EMAIL_TAKEN').waitFor();
    await page.getByText('2 requests, 1 refused').waitFor();
    await visitor.picture('flow connection');
    await visitor.expectFlawless('the connection');
    await page
      .getByRole('row', { name: / 2 1 1$/ })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: /^Remove the filter Actor: (?!rg_)/ }).waitFor();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toMatch(/^\d{4}-/);
    await page
      .getByRole('link', { name: /cai@example.com/ })
      .nth(1)
      .waitFor();
    await visitor.expectFlawless('the log of the cycle');

    // And types of commands are in words, times are fields, and a saved view is a link
    await page
      .getByRole('combobox', { name: 'Type', exact: true })
      .selectOption({ label: 'Create a user (user.create)' });
    await page.waitForURL(/type=user\.create/);
    await page.getByLabel('Until', { exact: true }).fill('2020-01-01T00:00');
    await page.getByText('No matching commands on this page').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('');
    await page
      .getByRole('link', { name: /cai@example.com/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Refused', exact: true }).click();
    await page.waitForURL(/log\?outcome=refused$/);
    await page
      .getByRole('link', { name: /cai@example.com/ })
      .first()
      .waitFor();

    // When it falls silent, then its page says what arrived instead
    await page.route(`**/admin/v1/**/connections/${other.keyId}`, async (route) => {
      const response = await route.fetch();
      const silent = { state: 'silent', state_text: 'Silent for 2 h, usually every 40 min.' };
      await route.fulfill({
        response,
        json: { ...((await response.json()) as object), ...silent },
      });
    });
    await visitor.visit(`/t/${other.slug}/connections/${other.keyId}`);
    await page.getByText('Requests without a valid key arrived since.').waitFor();
    await page.getByRole('row', { name: 'The key belongs to another tenant.' }).waitFor();
    await visitor.expectFlawless('the silent connection');
  });

  it('tests a target of notifications', async () => {
    const { page } = visitor;
    await visitor.visit('/notifications');
    const row = page.getByRole('row', { name: /chat/ });
    await row.getByText('Slack: localhost').waitFor();
    await page
      .getByRole('row', { name: /held-runs/ })
      .getByText('All tenants')
      .waitFor();
    const before = receiver.receiver().requests.length;
    await row.getByRole('button', { name: 'Send test to chat' }).click();
    await page.getByText('Sent a test notification to chat').waitFor();
    const sent = receiver
      .receiver()
      .requests.slice(before)
      .map(({ body }) => body.toString('utf8'));
    expect(sent).toContainEqual(expect.stringContaining('This is a test notification.'));
    await visitor.expectFlawless('notifications');

    receiver.receiver().setBehaviour({ kind: 'answer', status: 503, body: 'busy' });
    await row.getByRole('button', { name: 'Send test to chat' }).click();
    await page
      .locator('.toast-bad')
      .getByText(/^Not sent:/)
      .waitFor();
    receiver.receiver().setBehaviour({ kind: 'answer', status: 200, body: 'ok' });
  });

  it('sees what an identity provider sent, and what it would do today', async () => {
    const { page } = visitor;
    const eve = await createUser('eve');
    let replays = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/replay')) replays += 1;
    });
    const okta = (method: string, path: string, body: object) =>
      tenant.scim(method, path, body, { 'user-agent': 'Okta SCIM Client 1.0.0' });
    const operator = await gateway.operator();
    const stored = (count: number) =>
      eventually(async () => {
        const { body } = await operator('GET', `/tenants/${tenant.slug}/requests`);
        expect(body['requests']).toHaveLength(count);
      });

    // When they capture, and the identity provider sends what is refused
    await visitor.visit(`${at}/requests`);
    await page.getByText('No requests captured').waitFor();
    await visitor.expectFlawless('no requests');
    await page.getByRole('button', { name: 'Capture for 24 hours' }).click();
    const asked = page.getByRole('dialog', { name: 'Capture requests?' });
    await visitor.expectFlawless('the question');
    await asked.getByRole('button', { name: 'Capture for 24 hours' }).click();
    await page.getByText('Waiting for the first request').waitFor();
    const again = { schemas: [USER_URN], userName: 'eve@example.com' };
    expect(await okta('POST', '/Users', again)).toMatchObject({ status: 409 });
    await stored(1);
    const created = page.getByRole('link', { name: /POST .*\/Users/ });
    await created.waitFor();
    await visitor.picture('flow requests');
    await visitor.expectFlawless('the requests');

    // Then they see the request, without its key, and the same answer in a dry run
    await created.click();
    await page.getByRole('region', { name: 'the body of the request' }).getByText('eve').waitFor();
    await page.getByText('Okta SCIM Client 1.0.0', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(tenant.key);
    await page.getByRole('button', { name: 'Replay as dry run' }).click();
    await page
      .getByRole('region', { name: 'the replayed response' })
      .getByText('uniqueness')
      .waitFor();
    await visitor.picture('flow request');
    await visitor.expectFlawless('the replay');
    expect(replays).toBe(1);

    // And a dry run of what was applied changes nothing
    const active = (value: boolean) => ({
      schemas: [PATCH_URN],
      Operations: [{ op: 'replace', path: 'active', value }],
    });
    await okta('PATCH', `/Users/${eve}`, active(false));
    await okta('PATCH', `/Users/${eve}`, active(true));
    await stored(3);
    await visitor.visit(`${at}/requests`);
    const deactivated = page.getByRole('link', { name: /PATCH .*\/Users/ });
    expect(await deactivated.count()).toBe(2);
    await deactivated.last().click();
    await page.getByRole('button', { name: 'Replay as dry run' }).click();
    await page.getByText('user.deactivated', { exact: true }).waitFor();
    expect(replays).toBe(2);
    expect(await tenant.native('GET', `/users/${eve}`)).toMatchObject({ body: { active: true } });

    // And they see which members a group push would skip
    const setUnknownMembers = (unknown_members: string) =>
      operator('PATCH', `/tenants/${tenant.slug}`, { scim: { unknown_members } });
    await setUnknownMembers('skip');
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Divers' });
    const members = [{ value: eve }, { value: 'stale-1' }];
    await okta('POST', '/Groups', { schemas: [GROUP_URN], displayName: 'Divers', members });
    await stored(4);
    await visitor.visit(`${at}/requests`);
    await page.getByRole('link', { name: /POST .*\/Groups/ }).click();
    const { body: groups } = await operator<{ groups: readonly { id: string }[] }>(
      'GET',
      `/tenants/${tenant.slug}/groups?search=Divers`,
    );
    await tenant.scim('DELETE', `/Groups/${groups.groups[0]?.id}`);
    await page.getByRole('button', { name: 'Replay as dry run' }).click();
    await page.getByText('Would leave out 1 unknown member').waitFor();
    await page.getByText('No user has these ids: stale-1').waitFor();
    await visitor.picture('flow left out');
    await visitor.expectFlawless('who would be left out');
    await setUnknownMembers('reject');

    // And nothing is captured after the end
    await visitor.visit(`${at}/requests`);
    await page.getByRole('button', { name: 'Stop capturing' }).click();
    await page.getByRole('button', { name: 'Capture for 24 hours' }).waitFor();
    expect(await operator('GET', `/tenants/${tenant.slug}/request-capture`)).toMatchObject({
      body: { enabled: false, until: null },
    });
  });
});

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  buildSite,
  HAS_CHROMIUM,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';
import { peopleFile, somePeople } from '../support/dashboard-settings.js';
import { eventually } from '../support/eventually.js';
import { createResource, type TestTenant, useReceiver } from '../support/gateway.js';
import { USER_URN } from '../support/scim-urns.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-site-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const people = peopleFile(mkdtempSync(join(folder, 'people-')), 'tenant-1');
const receiver = useReceiver();
const gateway = useDashboardGateway(folder, () => ({
  ROLLGATE_CONFIG: people.config,
  ...receiver.env(),
  ROLLGATE_WEBHOOKS_RETRY: '10ms',
}));
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

/** The routes of the recorded requests, until the gateway has them: their shapes are agreed. */
const captureRequests = async (page: Page) => {
  let [isOn, replays] = [false, 0];
  const line = {
    id: '5b2e4a9c-7d31-4f60-9a8b-1c2d3e4f5a6b',
    at: new Date().toISOString(),
    method: 'POST',
    path: `/v1/${tenant.slug}/scim/v2/Users`,
    status: 409,
    key_id: tenant.keyId,
    user_agent: 'Okta SCIM Client 1.0.0',
    duration_ms: 12,
    request_id: '0f0e0d0c-0b0a-4908-8706-050403020100',
    bytes: 214,
  };
  const uniqueness = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    scimType: 'uniqueness',
  };
  await page.route('**/request-capture', async (route) => {
    if (route.request().method() === 'PUT') isOn = true;
    const until = isOn ? new Date(Date.now() + 86_400_000).toISOString() : null;
    await route.fulfill({ json: { enabled: isOn, until } });
  });
  await page.route(/\/admin\/v1\/.*\/requests(\?.*)?$/, (route) =>
    route.fulfill({ json: { requests: isOn ? [line] : [], next: null } }),
  );
  await page.route(`**/admin/v1/**/requests/${line.id}`, (route) =>
    route.fulfill({
      json: {
        ...line,
        request: {
          headers: { 'content-type': 'application/scim+json', authorization: '***' },
          body: JSON.stringify({ schemas: [USER_URN], userName: 'ada@example.com' }),
        },
        response: { headers: { 'content-type': 'application/scim+json' }, body: uniqueness },
      },
    }),
  );
  await page.route(`**/requests/${line.id}/replay`, (route) => {
    replays += 1;
    return route.fulfill({
      json: {
        dry_run: true,
        status: 409,
        body: uniqueness,
        events: [],
        event_count: 0,
        role_changes: [],
        seats: { capacity: 25, before: 12, after: 12 },
        remaining: 0,
      },
    });
  });
  return {
    get replays() {
      return replays;
    },
  };
};

describe.skipIf(!HAS_CHROMIUM)('an operator', () => {
  beforeAll(async () => {
    await buildSite(folder);
    await receiver.open();
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

  it('creates an API key, uses it, rotates it, and deletes the old one', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/settings/api-keys`);
    await page.getByRole('button', { name: 'Create key' }).focus();
    await page.keyboard.press('Enter');
    const creating = page.getByRole('dialog', { name: 'Create an API key' });
    await creating.getByLabel('Name').fill('Room bot');
    await creating.getByLabel('Room sync').check();
    expect(await creating.getByLabel('Write Rooms').isChecked()).toBe(true);
    expect(await creating.getByLabel('Write SCIM').isChecked()).toBe(false);
    await creating.getByLabel('Write Rooms').uncheck();
    expect(await creating.getByLabel('Custom').isChecked()).toBe(true);
    await visitor.picture('flow new key');
    await visitor.expectFlawless('the new key');
    await page.keyboard.press('Enter');

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

    await page.getByRole('button', { name: /^Rotate key Room bot/ }).click();
    const rotating = page.getByRole('dialog', { name: 'Rotate key Room bot' });
    await visitor.expectFlawless('the rotation');
    await rotating.getByRole('button', { name: 'Create the new key' }).click();
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
    await page.getByRole('button', { name: 'Allow key test any removals for 1 hour' }).click();
    await page.getByRole('status').getByText('may remove any number').waitFor();
    await visitor.expectFlawless('the keys');
  });

  it('adds a webhook, tests it, and redelivers what failed', async () => {
    const { page } = visitor;
    receiver.receiver().setBehaviour({ kind: 'answer', status: 503, body: 'not today' });
    await visitor.visit(`${at}/settings/webhooks`);
    await page.getByText('No webhooks yet').waitFor();
    await visitor.expectFlawless('no webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a webhook' });
    await adding.getByLabel('Address').fill(`${receiver.receiver().url}/hooks`);
    await adding.getByLabel('Name').fill('Badge system');
    await adding.getByLabel('All events, also those').uncheck();
    await adding.getByLabel('Users: all').check();
    await adding.getByRole('button', { name: 'Add header' }).click();
    await adding.getByLabel('Name of header 1').fill('X-Api-Key');
    await adding.getByLabel('Value of header 1').fill('for-the-proxy');
    await visitor.picture('flow new webhook');
    await visitor.expectFlawless('the new webhook');
    await adding.getByRole('button', { name: 'Add webhook' }).click();
    const shown = page.getByRole('dialog', { name: 'The signing secret' });
    const secret = await shown.locator('.secret code').innerText();
    await shown.getByLabel('I have stored the signing secret').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'Badge system' }).waitFor();

    await page.getByRole('button', { name: 'Send test' }).click();
    const tested = page.getByRole('dialog', { name: 'Test' });
    await tested.getByText('The receiver refused the test with 503.').waitFor();
    await tested.getByText('not today').waitFor();
    await visitor.picture('flow webhook test');
    await visitor.expectFlawless('the refused test');
    await tested.getByRole('button', { name: 'Close' }).last().click();

    await createUser('ada');
    await eventually(async () => {
      await page.getByRole('button', { name: 'Read the deliveries again' }).click();
      expect(await page.getByRole('cell', { name: 'Failed' }).count()).toBe(1);
    });
    await page.getByRole('link', { name: 'user.created' }).click();
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
      await page.getByRole('button', { name: 'Read the deliveries again' }).click();
      expect(await page.getByRole('cell', { name: 'Failed' }).count()).toBe(2);
    });
    receiver.receiver().setBehaviour({ kind: 'answer', status: 200 });
    await page.getByRole('button', { name: 'Redeliver failed…' }).click();
    const recovering = page.getByRole('dialog', { name: 'Redeliver what failed' });
    await recovering.getByText('2 failed since then.').waitFor();
    await visitor.expectFlawless('the recovery');
    await recovering.getByRole('button', { name: 'Redeliver 2 deliveries' }).click();
    const running = page.getByRole('dialog', { name: 'Redelivering' });
    await running.getByText('Done: 2 deliveries').waitFor();
    await running.getByRole('button', { name: 'Close' }).last().click();
    await eventually(async () => {
      await page.getByRole('button', { name: 'Read the deliveries again' }).click();
      expect(await page.getByRole('cell', { name: 'Delivered' }).count()).toBe(3);
    });

    await page.getByRole('button', { name: 'Change' }).click();
    const changing = page.getByRole('dialog', { name: 'Change Badge system' });
    await changing.getByLabel('Name', { exact: true }).fill('Badges');
    await changing.getByRole('button', { name: /^Remove header x-api-key$/i }).click();
    await visitor.expectFlawless('the change');
    await changing.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('none besides ours').waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const rotating = page.getByRole('dialog', { name: 'Rotate the secret of Badges' });
    await rotating.getByText('X-Service-Signature-Next').waitFor();
    await visitor.picture('flow rotate secret');
    await visitor.expectFlawless('the rotation');
    await rotating.getByRole('button', { name: 'Make a new secret' }).click();
    const renewed = page.getByRole('dialog', { name: 'The new signing secret' });
    await renewed.getByLabel('I have stored the new signing secret').check();
    await renewed.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Pause' }).click();
    const pausing = page.getByRole('dialog', { name: 'Pause Badges?' });
    await pausing.getByText('Events are dropped while it is paused.').waitFor();
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

  it('imports numbers after a preview of every row', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/sms-lists`);
    await page.getByRole('button', { name: 'Create list' }).click();
    const creating = page.getByRole('dialog', { name: 'Create an SMS list' });
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
    await page.getByText('duplicates line 3').waitFor();
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
    await page.getByLabel('Or its text').fill('+44 20 7946 0018,Harbour');
    await page.getByLabel('Replace the list').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: /remove 1$/ }).click();
    await page
      .getByRole('cell', { name: 'Ada; Countess', exact: true })
      .waitFor({ state: 'detached' });

    await page.getByLabel('Who is reached at').fill('2026-11-22T12:00');
    await page.getByRole('heading', { name: 'Recipients at this time' }).waitFor();
    await page.getByRole('cell', { name: '+44•••••••18' }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    const changing = page.getByRole('dialog', { name: 'Change Night desk' });
    await changing.getByLabel('Valid until').fill('2026-01-01T00:00');
    await changing.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Nobody is reached at this time').waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete list Night desk with 1 number' }).click();
    await page.getByText('No SMS lists yet').waitFor();
    await visitor.expectFlawless('no lists');
  });

  it('approves a held run after its plan, person by person', async () => {
    const { page } = visitor;
    const all = somePeople(10);
    people.save([
      ...all,
      { id: 'late', mail: 'late@example.com', name: 'Late Starter', start: 'soon' },
    ]);
    await visitor.visit(`${at}/connectors`);
    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Check source' }).click();
    await page.getByRole('status').getByText('11 people.').waitFor();
    await page.getByRole('button', { name: 'Plan only' }).click();
    const planning = page.getByRole('dialog', { name: 'Plan a run of hr' });
    await visitor.expectFlawless('the question');
    await planning.getByRole('button', { name: 'Plan, change nothing' }).click();
    await page.getByText('create 10; 0 unchanged').waitFor();
    expect(await tenant.native('GET', '/users?email=person-0@example.com')).toMatchObject({
      body: { total: 0 },
    });

    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Applied').first().waitFor();
    await page.getByRole('heading', { name: 'What it did' }).waitFor();

    people.save([{ ...all[0]!, title: 'Dispatcher' }, ...all.slice(7)]);
    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('row', { name: /late/ }).getByText('DATE').waitFor();
    await page.getByRole('button', { name: /^Ignore .*late/i }).click();
    await page.getByRole('row', { name: /late/ }).getByText('Ignored').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByText('This plan waits for approval.').waitFor();
    const changed = page.getByRole('row', { name: /Person 0/ });
    await changed.getByText('Driver').waitFor();
    await changed.getByText('Dispatcher').waitFor();
    await visitor.picture('flow held run');
    await visitor.expectFlawless('the held run');
    await page.getByRole('button', { name: 'Approve for 7 people' }).click();
    await visitor.expectFlawless('the approval');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve for 7 people' }).click();
    await page.locator('.page-head').getByText('Done').waitFor();

    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('button', { name: 'Reject for 6 people' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject for 6 people' }).click();
    await page.locator('.page-head').getByText('Rejected').waitFor();

    await page.getByRole('link', { name: 'hr' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.page-head').getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.page-head').getByText('Ready').waitFor();
    await visitor.expectFlawless('the connector');
  });

  it('sees what an identity provider sent, and what it would do today', async () => {
    const { page } = visitor;
    const captured = await captureRequests(page);
    await visitor.visit(`${at}/requests`);
    await page.getByText('Nothing is recorded').waitFor();
    await visitor.expectFlawless('no requests');
    await page.getByRole('button', { name: 'Record for 24 hours' }).click();
    const asked = page.getByRole('dialog', { name: 'Record requests?' });
    await visitor.expectFlawless('the question');
    await asked.getByRole('button', { name: 'Record for 24 hours' }).click();
    await page.getByRole('link', { name: /POST .*\/Users/ }).waitFor();
    await visitor.picture('flow requests');
    await visitor.expectFlawless('the requests');
    await page.getByRole('link', { name: /POST .*\/Users/ }).click();
    await page.getByRole('region', { name: 'the body of the request' }).getByText('ada').waitFor();
    await page.getByRole('button', { name: 'Replay as dry run' }).click();
    await page
      .getByRole('region', { name: 'the answer', exact: true })
      .getByText('uniqueness')
      .waitFor();
    await visitor.picture('flow request');
    await visitor.expectFlawless('the replay');
    expect(captured.replays).toBe(1);
  });
});

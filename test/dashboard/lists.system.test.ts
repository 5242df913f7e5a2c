import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  buildSite,
  HAS_CHROMIUM,
  siteFolder,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';
import { createDashboardWorld, type DashboardWorld } from '../support/dashboard-world.js';
import { createResource } from '../support/gateway.js';
import { GROUP_URN, USER_URN } from '../support/scim-urns.js';

const folder = siteFolder();
const gateway = useDashboardGateway(folder);
const browser = useBrowser();
const LONG = 'x'.repeat(200);

let world: DashboardWorld;
let visitor: Visitor;
let at: string;

describe.skipIf(!HAS_CHROMIUM)('lists', () => {
  beforeAll(async () => {
    await buildSite(folder);
    world = await createDashboardWorld(gateway);
    at = `/t/${world.tenant.slug}`;
    for (const [userName, displayName] of [
      ['long@example.com', LONG],
      ['rtl@example.com', 'محمد بن موسى الخوارزمي'],
    ])
      await createResource(world.tenant.scim, '/Users', {
        schemas: [USER_URN],
        userName,
        displayName,
      });
  });

  beforeEach(async () => {
    const { url } = await gateway.open();
    visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
  });

  afterEach(() => visitor.close());

  const firstName = () => visitor.page.locator('tbody tr .row-link').first().innerText();

  it('are sorted and filtered in the address, and exported as shown', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users`);
    await page.getByRole('button', { name: 'User', exact: true }).click();
    await page
      .getByRole('columnheader', { name: 'User' })
      .and(page.locator('[aria-sort]'))
      .waitFor();
    await page.getByRole('combobox', { name: 'Role' }).selectOption('dispatcher');
    await expect.poll(firstName).toBe('Alan Turing');
    await page.getByRole('button', { name: 'User', exact: true }).click();
    await expect.poll(firstName).toBe('Katherine Johnson');
    expect(new URL(page.url()).search).toBe('?sort=-display_name&role=dispatcher');
    await page.reload();
    await expect.poll(firstName).toBe('Katherine Johnson');

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\r\n');
    expect(lines[1]).toContain(',Katherine Johnson,');
  });

  it('change many rows at once, after saying what will happen', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users?sort=display_name`);
    for (const name of ['Alan Turing', 'Grace Hopper', 'Ken Thompson'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await visitor.expectFlawless('a selection');
    await visitor.choose('Actions for the selection', 'Deactivate');
    const dialog = page.getByRole('dialog', { name: 'Deactivate 3 users' });
    await dialog.getByText('2 users will change; 1 unchanged; 0 not possible.').waitFor();
    await visitor.expectFlawless('what will happen');
    await dialog.getByRole('button', { name: 'Deactivate 2 users' }).click();
    await dialog.getByText('Deactivated 2 users').waitFor();
    expect(await dialog.getByText('Done', { exact: true }).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page
      .getByRole('row', { name: /Grace Hopper/ })
      .getByText('Deactivated')
      .waitFor();
  });

  it('add users to a room, except those who are in it', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users?sort=display_name`);
    for (const name of ['Ada Lovelace', 'Alan Turing'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await visitor.choose('Actions for the selection', 'Add to a room');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Room' }).fill('Dispatch');
    await page.getByRole('option', { name: /Dispatch/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Add 2 users to Dispatch' });
    await dialog.getByText('1 user will change; 0 unchanged; 1 not possible.').waitFor();
    await dialog.getByRole('button', { name: 'Add 1 user to Dispatch' }).click();
    await dialog.getByText('Added 1 user to Dispatch').waitFor();
  });

  it('have a menu per row, by keyboard', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/settings/api-keys`);
    const button = page.getByRole('button', { name: /^Actions for key test/ });
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await button.focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Rotate');
    await visitor.expectFlawless('a menu');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Delete');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Rotate');
    await page.keyboard.press('a');
    expect(await focused()).toBe('Allow removals');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toMatch(/^Actions for key/);
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  it('have rows of 36 px if wanted, with names of any length', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users`);
    await page.getByTitle('Compact rows').click();
    await page.reload();
    await visitor.settle();
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('tbody tr')].map((row) => Math.round(row.offsetHeight))",
    );
    expect(Math.max(...heights)).toBeLessThanOrEqual(37);
    await visitor.expectNoSidewaysScroll('compact rows');
    await visitor.expectFlawless('compact rows');
    await page.getByRole('link', { name: LONG }).click();
    await page.getByRole('heading', { level: 1, name: LONG }).waitFor();
    await visitor.expectNoSidewaysScroll('a long name');
  });

  it.each(VIEWS)('lead to pages with names of any length, in $name', async (view) => {
    const operator = await gateway.operator();
    const { slug, scim } = await gateway.tenant({ name: LONG });
    await operator('POST', `/tenants/${slug}/role-mappings`, {
      group_display_name: LONG,
      role: 'y'.repeat(64),
      priority: 1,
    });
    const room = await createResource(operator, `/tenants/${slug}/rooms`, { name: LONG });
    const user = { schemas: [USER_URN], userName: LONG, displayName: LONG };
    const id = await createResource(scim, '/Users', user);
    const members = [{ value: id }];
    await scim('POST', '/Groups', { schemas: [GROUP_URN], displayName: LONG, members });
    const { url } = await gateway.open();
    const other = await Visitor.open(await browser(), url, view);
    other.expectErrorOf('/admin/v1/session');
    await other.signIn();
    for (const path of [`/rooms/${room}?user=${id}`, `/users/${id}`, '/rooms']) {
      await other.visit(`/t/${slug}${path}`);
      await other.expectNoSidewaysScroll(path);
      await other.expectFlawless(path);
    }
    await other.close();
  });
});

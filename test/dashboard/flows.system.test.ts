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
import { createResource, createUsersInBulk } from '../support/gateway.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';
import { createDashboardWorld, type DashboardWorld, HOSTILE } from '../support/dashboard-world.js';

const folder = siteFolder();

const gateway = useDashboardGateway(folder);
const browser = useBrowser();
// As text, because the tests are compiled without the types of browsers.
const RUNNING_ANIMATIONS =
  "document.getAnimations().filter(({ playState }) => playState === 'running').length";

let world: DashboardWorld;
let url: string;
let visitor: Visitor;
let at: string;

describe.skipIf(!HAS_CHROMIUM)('an operator', () => {
  beforeAll(async () => {
    await buildSite(folder);
    world = await createDashboardWorld(gateway);
    ({ url } = await gateway.open());
    at = `/t/${world.tenant.slug}`;
  });

  beforeEach(async () => {
    visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
  });

  afterEach(() => visitor.close());

  it('finds out by keyboard why Ada is not in room Dispatch', async () => {
    const { page } = visitor;
    await visitor.visit(at);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Ada');
    await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    // It gets the focus after its first frame.
    await page.waitForFunction('document.activeElement.tagName === "H1"');

    await page.getByRole('combobox', { name: 'Room' }).focus();
    await page.keyboard.type('disp');
    await page.getByRole('option', { name: /Dispatch/ }).waitFor();
    await page.keyboard.press('Enter');

    const answer = page.getByRole('region', { name: /not in the room "Dispatch"/ });
    await answer.getByText('never added to the room "Dispatch"').waitFor();
    await answer.getByText('Adding the user to the group "Dispatch"').waitFor();
    expect(await page.getByRole('combobox', { name: 'Room' }).inputValue()).toBe('Dispatch');
    await visitor.picture('flow explain');
    await visitor.expectFlawless('the explanation');

    await answer.getByRole('link', { name: 'mapped to the SCIM group "Dispatch"' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dispatch' }).waitFor();
    await page.getByText('Room and role').first().waitFor();
  });

  it('sees whose role a mapping would change before saving it', async () => {
    const { page } = visitor;
    const dialog = await visitor.previewMapping(at, { group: 'Field teams', priority: 15 });
    await dialog.getByText('supervisor', { exact: true }).waitFor();
    await visitor.picture('flow impact');
    await visitor.expectFlawless('the preview');
    await dialog.getByRole('button', { name: /^Save: \d+ users change role$/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('Saved the mapping of Field teams').waitFor();
    await page.getByRole('cell', { name: /^\d\s?Field teams$/ }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New mapping');

    await visitor.choose('Actions for the mapping of Field teams', 'Delete');
    const asked = page.getByRole('dialog', { name: 'Delete the mapping of Field teams?' });
    await asked.getByRole('button', { name: 'Preview' }).click();
    await asked.getByRole('button', { name: /^Delete 1 mapping: \d+ users change role$/ }).click();
    await page.getByRole('cell', { name: /^\d\s?Field teams$/ }).waitFor({ state: 'detached' });
    await visitor.expectFlawless('the list without it');
  });

  it('sees how many of many users would lose a role', async () => {
    const { page } = visitor;
    const operator = await gateway.operator();
    const large = await gateway.tenant({ name: 'Southwind', default_role: 'member' });
    const base = `/tenants/${large.slug}`;
    const users = await createUsersInBulk(large, 'user', 412);
    for (const [displayName, members] of [
      ['Everybody', users],
      ['Admins', users.slice(0, 3)],
    ] as const) {
      await operator('POST', `${base}/rooms`, { name: displayName });
      await createResource(large.scim, '/Groups', {
        schemas: [GROUP_URN],
        displayName,
        members: members.map((value) => ({ value })),
      });
    }
    const admins = { group_display_name: 'Admins', role: 'admin', priority: 20 };
    await operator('POST', `${base}/role-mappings`, admins);

    const dialog = await visitor.previewMapping(`/t/${large.slug}`, {
      group: 'Everybody',
      priority: 10,
    });
    await dialog.getByText('412 users change role, 3 lose admin').waitFor();
    await dialog.getByText('409 users').waitFor();
    await dialog.getByText('and 404 more').waitFor();
    await visitor.picture('flow large impact');
    await visitor.expectFlawless('the preview');
    await dialog.getByRole('button', { name: 'Save: 412 users change role' }).click();
    await page.getByRole('status').getByText('Saved the mapping of Everybody').waitFor();
    const { body } = await operator('GET', `${base}/users/${users[0] ?? ''}`);
    expect(body['role']).toBe('responder');
  });

  it('shares a filtered log by its address', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/log`);
    await page.getByLabel('Outcome').selectOption('refused');
    await page.getByText('USERNAME_TAKEN').or(page.getByText('EMAIL_TAKEN')).first().waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=refused');
    await visitor.settle();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });

  it('adds a user to a room, where the page says why they are not in it', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/rooms/${world.field}?user=${world.grace}`);
    const answer = page.getByRole('region', { name: /in the room "Field teams"/ });
    const add = { name: 'Add the user to Field teams' };
    await answer.getByRole('button', add).click();
    await page.getByRole('dialog').getByRole('button', add).click();
    await page.getByRole('status').getByText('Added to the room').waitFor();
    await page.getByRole('region', { name: 'Why is Grace Hopper' }).waitFor();
    await page.getByRole('switch', { name: 'Grace Hopper can transmit' }).check();
    await page.getByRole('status').getByText('Grace Hopper can transmit').waitFor();
    await visitor.expectFlawless('the room');
  });

  it('sees who joined a room through SCIM, and who left', async () => {
    const { page } = visitor;
    await world.tenant.scim('PATCH', `/Groups/${world.dispatchGroup}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'remove', path: `members[value eq "${world.grace}"]` }],
    });
    await visitor.visit(`${at}/rooms/${world.dispatch}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('grace.hopper@example.com listen only → not a member').waitFor();
    await timeline.getByText('alan.turing@example.com not a member → listen only').waitFor();
    await timeline.getByRole('link', { name: 'Changed group Dispatch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Changed group Dispatch' }).waitFor();

    await visitor.visit(`${at}/users/${world.grace}`);
    await page
      .getByRole('region', { name: 'Timeline' })
      .getByText('Dispatch listen only → not a member')
      .waitFor();
  });

  it('can read the page while it loads the next results', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users`);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/users?search=**', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('searchbox', { name: 'Search' }).fill('Grace');
    await page.locator('.is-stale').waitFor();
    await expect.poll(() => page.evaluate(RUNNING_ANIMATIONS)).toBe(0);
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await visitor.expectFlawless('the users while their search loads');
    release();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
  });

  it('chooses another user by typing, or keeps the choice', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/rooms/${world.field}?user=${world.ada}`);
    const field = page.getByRole('combobox', { name: 'User' });
    await expect.poll(() => field.inputValue()).toBe('Ada Lovelace');
    await field.focus();
    await page.keyboard.type('Alan');
    await page.getByRole('option', { name: /Alan Turing/ }).waitFor();
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('Ada Lovelace');
    await field.fill('');
    await page.getByRole('option', { name: /Alan Turing/ }).waitFor();
    await visitor.expectFlawless('everybody, before anything is typed');
    await field.fill('Alan');
    await page.getByRole('option', { name: /Alan Turing/ }).click();
    await page.getByRole('region', { name: /Why is Alan Turing/ }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('Alan Turing');
  });

  it('creates a tenant and its first room', async () => {
    const { page } = visitor;
    await visitor.visit(at);
    await page.getByRole('combobox', { name: 'Tenant' }).selectOption('Create tenant…');
    const tenant = page.getByRole('dialog', { name: 'Create tenant' });
    await tenant.getByLabel('Name').fill('Élan Rescue');
    expect(await tenant.getByLabel('Slug').inputValue()).toBe('elan-rescue');
    await tenant.getByLabel('Seats').fill('40');
    await visitor.expectFlawless('the new tenant');
    await tenant.getByRole('button', { name: 'Create tenant' }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect an identity provider' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/t/elan-rescue/setup');
    const operator = await gateway.operator();
    const { body } = await operator('GET', '/tenants/elan-rescue');
    expect(body).toMatchObject({ name: 'Élan Rescue', seat_capacity: 40 });

    await page.getByRole('link', { name: 'Rooms', exact: true }).click();
    await page.getByText('No rooms yet').waitFor();
    await visitor.settle();
    await visitor.expectFlawless('no rooms');
    await page.getByRole('button', { name: 'Create room' }).click();
    const room = page.getByRole('dialog', { name: 'Create room' });
    await room.getByLabel('Name').fill('Harbour');
    await visitor.expectFlawless('the new room');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    await page.getByText('No members yet').waitFor();
  });

  it('types into a dialog at once, and loses nothing by a stray click, Escape or a link', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/rooms`);
    await page.getByRole('button', { name: 'Create room' }).dblclick();
    const dialog = page.getByRole('dialog', { name: 'Create room' });
    await page.keyboard.type('Night shift');
    const name = dialog.getByLabel('Name');
    expect(await name.inputValue()).toBe('Night shift');
    // A text is selected to beyond the dialog.
    const { x, y } = (await name.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 60, y + 15);
    await page.mouse.down();
    await page.mouse.move(20, y + 15);
    await page.mouse.up();
    expect(await name.inputValue()).toBe('Night shift');
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(`${question.type()}: ${question.message()}`);
      void question.dismiss();
    });
    await page.mouse.click(20, 20);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.evaluate(`history.pushState(null, '', '/dashboard${at}/users')`);
    expect(asked).toEqual(Array.from({ length: 4 }, () => 'confirm: Discard what you entered?'));
    expect(new URL(page.url()).pathname).toBe(`/dashboard${at}/rooms`);
    expect(await name.inputValue()).toBe('Night shift');
    // Leaving the dashboard asks, too.
    const reload = page.evaluate('location.reload()');
    await expect.poll(() => asked.length).toBe(5);
    expect(asked.at(-1)).toMatch(/^beforeunload/);
    await reload;

    page.removeAllListeners('dialog');
    page.on('dialog', (question) => void question.accept());
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('sees errors at their fields, once, and others in front of the buttons, with the focus', async () => {
    const { page } = visitor;
    visitor.expectErrorOf('/api-keys');
    await page.setViewportSize({ width: 1360, height: 700 });
    await visitor.visit(`${at}/settings/api-keys`);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByLabel('Name').fill('Roster');
    await dialog.getByLabel('Expires').fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('must be in the future').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await dialog.getByLabel('Expires').getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.name')).toBe('expires_at');
    await visitor.picture('flow form error');
    await visitor.expectFlawless('the error');

    visitor.expectErrorOf('/rooms');
    page.on('dialog', (question) => void question.accept());
    await visitor.visit(`${at}/settings/tenant`);
    await page.getByLabel('Country of phone numbers').fill('12');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('must be').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await visitor.visit(`${at}/rooms?create=yes`);
    const creating = page.getByRole('dialog', { name: 'Create room' });
    await creating.getByLabel('Name').fill('Dispatch');
    await creating.getByRole('button', { name: 'Create room' }).click();
    await creating.locator('label').getByText('Another room has the name "Dispatch".').waitFor();
    expect(await creating.getByRole('alert').count()).toBe(0);
    await page.route('**/rooms', (route) => route.abort());
    await creating.getByRole('button', { name: 'Create room' }).click();
    await creating.getByRole('alert').waitFor();
    expect(await page.evaluate('document.activeElement.role')).toBe('alert');
    const alert = await creating.getByRole('alert').boundingBox();
    const footer = await creating.locator('footer').boundingBox();
    expect((alert?.y ?? 0) + (alert?.height ?? 0)).toBeLessThanOrEqual(footer?.y ?? 0);
  });

  it('comes back to where a list was scrolled, without a jump on the way', async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 1360, height: 400 });
    await visitor.visit(`${at}/users`);
    await page.getByRole('link', { name: 'Ada Lovelace' }).scrollIntoViewIfNeeded();
    await page.evaluate(
      `new Promise((scrolled) => {
        window.addEventListener('scroll', () => scrolled(), { once: true });
        window.scrollTo(0, 350);
      })`,
    );
    expect(await page.evaluate('window.scrollY')).toBe(350);
    const left = await page
      .locator('h1')
      .evaluate('(heading) => heading.getBoundingClientRect().left');
    await page.evaluate('document.querySelector(\'a[href$="/settings/webhooks"]\').click()');
    await page.getByText('No webhooks yet').waitFor();
    expect(await page.evaluate('window.scrollY')).toBe(0);
    // A page without a scrollbar stands where one with it does.
    expect(
      await page.locator('h1').evaluate('(heading) => heading.getBoundingClientRect().left'),
    ).toBe(left);
    await page.goBack();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await expect.poll(() => page.evaluate('window.scrollY')).toBe(350);
  });

  it('sees the keyboard shortcuts', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/settings/webhooks`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await visitor.expectFlawless('the shortcuts');
    await page.keyboard.press('Escape');
  });

  it('connects Entra, and does not lose the key, which is shown once', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/setup?provider=entra`);
    const grant = page.getByRole('radio', { name: /^OAuth2 client credentials grant/ });
    const create = page.getByRole('button', { name: 'Create a key for Microsoft Entra ID' });
    await create.waitFor();
    await grant.check();
    await page.getByText('Short-lived access tokens are off.').waitFor();
    expect(await create.count()).toBe(0);
    await visitor.expectFlawless('tokens that are off');

    await page.getByRole('radio', { name: /^Secret token/ }).check();
    await create.click();
    const key = page.getByRole('dialog', { name: 'Key for Microsoft Entra ID' });
    await visitor.picture('flow entra key');
    await visitor.expectFlawless('the key');
    await page.keyboard.press('Escape');
    await key.getByLabel('I have stored the Secret Token').check();
    await key.getByRole('button', { name: 'Done' }).click();
    await page.locator('.step-done').first().waitFor();

    await page.getByRole('button', { name: 'Create another key' }).click();
    await page.getByText('The current key stays valid until it is deleted.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('radio', { name: /^Okta/ }).check();
    await page.getByRole('button', { name: 'Create a key for Okta' }).waitFor();
  });

  it('follows commands live, and pauses', async () => {
    const { page } = visitor;
    const create = (userName: string) =>
      world.tenant.scim('POST', '/Users', { schemas: [USER_URN], userName });
    await visitor.visit(`${at}/live`);
    await page.getByText('Live', { exact: true }).last().waitFor();
    await create('live-1@example.com');
    const tail = page.getByRole('log');
    await tail.getByText('live-1@example.com').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await create('live-2@example.com');
    await page.getByText('1 new').waitFor();
    expect(await tail.getByText('live-2@example.com').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await tail.getByText('live-2@example.com').waitFor();
    await visitor.picture('flow live');
    await visitor.expectFlawless('the tail');
  });

  it('gets the focus back after Escape', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users/${world.ada}`);
    const opener = page.getByRole('button', { name: 'Deactivate' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Deactivate Ada Lovelace?' }).waitFor();
    await page.getByRole('button', { name: 'Deactivate 1 user' }).waitFor();
    await visitor.expectFlawless('the question');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Deactivate');
  });

  it('sees hostile names as text', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users?q=${encodeURIComponent('<img')}`);
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await visitor.settle();
    await visitor.visit(`${at}/rooms`);
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    expect(await page.evaluate('"hacked" in globalThis')).toBe(false);
    await visitor.expectFlawless('hostile names');
  });

  it('uses the menu on a phone', async () => {
    const { page } = visitor;
    await page.setViewportSize(VIEWS[2].viewport);
    await visitor.visit(at);
    await page.getByRole('button', { name: 'Menu' }).click();
    await visitor.picture('flow menu');
    await visitor.expectFlawless('the menu');
    await page.getByRole('link', { name: 'Rooms' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    expect(await page.getByRole('link', { name: 'Users', exact: true }).count()).toBe(0);
  });

  it('creates an operator, whose link signs them in once', async () => {
    const { page } = visitor;
    await visitor.visit('/operators');
    await page.getByRole('button', { name: 'New operator' }).click();
    const dialog = page.getByRole('dialog', { name: 'New operator' });
    await dialog.getByLabel('Name').fill('Grace');
    await dialog.getByLabel('auditor').check();
    await visitor.expectFlawless('the form');
    await dialog.getByRole('button', { name: 'Create operator' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByRole('dialog').locator('code').textContent();
    await visitor.expectFlawless('the link');

    const other = await Visitor.open(await browser(), url, VIEWS[1]);
    other.expectErrorOf('/admin/v1/session');
    await other.page.goto((link ?? '').replace(/^https?:\/\/[^/]+/, url));
    await other.page.getByRole('button', { name: 'Continue' }).click();
    await other.page.getByText('Grace').waitFor();
    await other.settle();
    expect(await other.page.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    await other.visit(`${at}/users/${world.ada}`);
    expect(await other.page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    await other.close();
  });

  it('changes the e-mail of an operator of a deleted tenant, who still sees no tenant', async () => {
    const { page } = visitor;
    const { slug } = await gateway.tenant();
    const api = await gateway.operator();
    const bound = { name: 'Hedy', role: 'operator', tenants: [slug] };
    const { body: hedy } = await api<{ id: string }>('POST', '/operators', bound);
    await api('DELETE', `/tenants/${slug}`);
    const read = async () => {
      const { body } = await api<{ operators: { id: string }[] }>('GET', '/operators');
      return body.operators.find(({ id }) => id === hedy.id);
    };

    await visitor.visit('/operators');
    await page.getByRole('row', { name: /Hedy.*None/ }).waitFor();
    await visitor.choose('Actions for Hedy', 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit Hedy' });
    await dialog.getByLabel('Email').fill('hedy@example.com');
    await visitor.expectFlawless('the form of an operator without a tenant');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ email: 'hedy@example.com', tenants: [] });

    await visitor.choose('Actions for Hedy', 'Edit');
    const first = dialog.getByRole('checkbox').first();
    await first.check();
    await first.uncheck();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('All tenants').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ tenants: null });
  });

  it('gets no mapping from a priority that is no number', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/admin/security/sso/directory-roles`);
    await page.getByRole('button', { name: 'New mapping' }).click();
    const dialog = page.getByRole('dialog', { name: 'New role mapping' });
    await dialog.getByLabel('Group in the identity provider').fill('Night shift');
    await dialog.getByLabel('Role of its members').fill('responder');
    const priority = dialog.getByLabel('Priority');
    await priority.fill('');
    await priority.pressSequentially('10e');
    await priority.press('Enter');
    expect(await dialog.locator(':invalid').count()).toBeGreaterThan(0);
    expect(await dialog.getByRole('button', { name: 'Preview' }).isVisible()).toBe(true);
    await priority.fill('10');
    await priority.press('Enter');
    await dialog.getByRole('button', { name: /^Save/ }).waitFor();
  });

  it('signs out, and comes back to the same page', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/rooms`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto(`${url}/dashboard${at}/rooms`);
    await page.getByLabel('Admin token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This is not the admin token.').waitFor();
    await visitor.signInHere();
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
  });

  it('signs in again in place where the session expired, and keeps what was entered', async () => {
    const { page, context } = visitor;
    visitor.expectErrorOf('/admin/v1/tenants/');
    await visitor.visit(`${at}/rooms?create=yes`);
    const dialog = page.getByRole('dialog', { name: 'Create room' });
    await dialog.getByLabel('Name').fill('Night shift');
    await context.clearCookies();
    await dialog.getByRole('button', { name: 'Create room' }).click();
    const expired = page.getByRole('dialog', { name: 'Sign in again' });
    await expired.getByText('Your session has ended').waitFor();
    await visitor.picture('flow expired');
    await visitor.expectFlawless('the sign-in over the page');
    await page.keyboard.press('Escape');
    await visitor.confirmByToken(expired, 'Sign in');
    // The request was sent again.
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor();
    await visitor.expectFlawless('the room');

    await context.clearCookies();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await expired.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByText('Your session has ended').waitFor();
    await visitor.signInHere();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  });
});
